import { LabIcon } from '@jupyterlab/ui-components';

/** Lines of a list, and the call that goes out of it. */
export const agentIcon = new LabIcon({
  name: 'jupyter-agenttools:agent',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <g class="jp-icon3" fill="none" stroke="#616161" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round">
    <path d="M3 4.5h7M3 8h4M3 11.5h7"/><path d="M11.5 6.5 14 9l-2.5 2.5"/>
  </g></svg>`
});
