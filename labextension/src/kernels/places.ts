import { IPlace } from '../state';

/** A notebook that is open here. */
export interface IOpen {
  path: string;
  /** The id of its kernel, `null` while nobody knows. */
  kernel: string | null;
  /** Whether it has a cell of this id, or may have it: it is still being loaded. */
  has(cell: string): boolean;
}

/**
 * Whether something happens in this notebook. The id of a cell alone does not say it: a copy of a notebook has the same
 * ids, and may even have the same kernel. Where it cannot be known it is in none of those that may be meant.
 */
export function isIn({ cell, notebook }: IPlace, here: IOpen, all: readonly IOpen[]): boolean {
  if (!cell || !here.has(cell)) {
    return false;
  }
  const isMeant = (each: IOpen): boolean =>
    (each.kernel === null || each.kernel === here.kernel) && each.has(cell);
  return notebook ? here.path === notebook : all.filter(isMeant).length === 1;
}
