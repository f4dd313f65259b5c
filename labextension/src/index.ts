import { cellPlugin } from './cell/plugin';
import { changesPlugin } from './changes/plugin';
import { kernelsPlugin } from './kernels/plugin';
import { livePlugin } from './live/plugin';
import { panelPlugin } from './panel/plugin';
import { promptsPlugin } from './prompts/plugin';
import { reattachPlugin } from './reattach/plugin';
import { statusPlugin } from './status/plugin';
import { tracePlugin } from './trace/plugin';

export default [
  kernelsPlugin,
  livePlugin,
  changesPlugin,
  promptsPlugin,
  panelPlugin,
  statusPlugin,
  reattachPlugin,
  cellPlugin,
  tracePlugin
];
