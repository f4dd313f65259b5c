import { kernelsPlugin } from './kernels/plugin';
import { livePlugin } from './live/plugin';

export default [kernelsPlugin, livePlugin];
