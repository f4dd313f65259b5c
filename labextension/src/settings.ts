import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { JSONObject } from '@lumino/coreutils';

/**
 * Call `take` with the settings of a plugin, now and whenever a person changes them. Without a registry, or when they
 * cannot be read, what the plugin began with stays.
 */
export function followSettings(
  registry: ISettingRegistry | null,
  plugin: string,
  take: (settings: JSONObject) => void
): void {
  registry
    ?.load(plugin)
    .then(settings => {
      const follow = (): void => take(settings.composite as JSONObject);
      follow();
      settings.changed.connect(follow);
    })
    .catch(reason => console.warn(`jupyter-agenttools: no settings: ${String(reason)}`));
}
