import { LabIcon } from '@jupyterlab/ui-components';

/** Lines of a list, and the call that goes out of it. */
export const agentIcon = drawn(
  'agent',
  '<path d="M3 4.5h7M3 8h4M3 11.5h7"/><path d="M11.5 6.5 14 9l-2.5 2.5"/>'
);

/** Go ahead: a tick in a ring. */
export const allowIcon = drawn(
  'allow',
  '<circle cx="8" cy="8" r="6"/><path d="m5.2 8.2 2 2 3.6-4"/>'
);

/** No way: a bar across a ring. */
export const denyIcon = drawn('deny', '<circle cx="8" cy="8" r="6"/><path d="m3.8 3.8 8.4 8.4"/>');

/** Stop: a square in a ring, told apart from the kernel's own plain square. */
export const stopIcon = drawn('stop', '<circle cx="8" cy="8" r="6"/><path d="M6 6h4v4H6z"/>');

/** Keep the change: a tick on a line of text. */
export const acceptIcon = drawn(
  'accept-change',
  '<path d="M2.5 13.5h11"/><path d="m4 7 3 3 5.5-6.5"/>'
);

/** Take the change back: an arrow that turns round, on a line of text. */
export const revertIcon = drawn(
  'revert-change',
  '<path d="M2.5 13.5h11"/><path d="M6 2.5 3.5 5 6 7.5"/><path d="M3.5 5h5.2a2.7 2.7 0 0 1 0 5.4H6.5"/>'
);

/** Not filled by the group itself: the theme would fill whatever says how it is filled. */
function drawn(name: string, paths: string): LabIcon {
  return new LabIcon({
    name: `jupyter-agenttools:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16" fill="none">
  <g class="jp-icon3" stroke="#616161" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round">
    ${paths}
  </g></svg>`
  });
}
