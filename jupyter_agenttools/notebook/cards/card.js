// What a card needs of the page itself: its keys, where the focus goes, and that no click hits what has just moved.
// It comes with a card (see page.py) and is read once a page. Without it a card is a stack of ordinary buttons.
// It is run as the handler of an element, where a bare name may be the element's own: so `window.` is written out.
(style => {
  if (window.agtCards) return window.agtCards(style);
  const CARD = '.agt-ask', KEY = 'agt-key-', BOX = 'data-cards', MOVED_MS = 350, TAKEN_MS = 900, PRESSED_MS = 10000;
  const FIELD = 'input:not([type=checkbox]):not([type=radio]),textarea,select,[contenteditable=true]';
  const LABELS = {esc: 'Esc', enter: 'Ctrl+Enter', 'all-y': 'Shift+Y', 'all-n': 'Shift+N'};
  const cardOf = node => node && node.closest ? node.closest(CARD) : null;
  const button = (card, key) => card.querySelector('button.' + KEY + key + ':not([disabled])');
  const now = () => document.activeElement;
  const arms = new WeakMap(), pressed = new Map();
  let last = null, from = null, cell = null, quietUntil = 0;

  // A card answers neither to a key nor to a click before a person can have seen what is there now.
  const arm = (card, ms) => {
    card.removeAttribute('data-armed');
    clearTimeout(arms.get(card));
    const waits = pressed.get(card);
    arms.set(card, setTimeout(() => {
      card.setAttribute('data-armed', '');
      if (pressed.get(card) === waits) pressed.delete(card);  // what was pressed since is still to come
    }, ms));
  };
  const isArmed = node => node.hasAttribute('data-armed');
  const leave = card => {
    const cell = card.closest('.jp-Cell') || document.querySelector('.jp-Cell.jp-mod-active, .jp-Notebook');
    const to = from && from.isConnected ? from : cell;
    to ? to.focus({preventScroll: true}) : now().blur();
  };
  const take = card => {
    if (!cardOf(now()) && now() !== document.body) from = now();
    arm(card, TAKEN_MS);
    card.focus({preventScroll: true});
  };
  const free = () => {
    const at = now();
    return !at || at === document.body || (at.closest('.jp-Notebook') && !at.matches(FIELD) && !cardOf(at));
  };
  const inView = node => {
    const box = node.getBoundingClientRect();
    return box.height > 0 && box.top >= 0 && box.top < window.innerHeight;
  };

  // What a button does is done in the kernel, and may take a while to be seen. Whoever types meanwhile means what is to
  // come: the words are kept for its line, and no letter of them answers the card as it still stands there.
  window.addEventListener('click', ({target}) => {
    const card = cardOf(target), to = card && target.closest('button[class*=' + KEY + ']');
    if (!to) return;
    const since = {typed: ''};
    pressed.set(card, since);
    setTimeout(() => pressed.get(card) === since && pressed.delete(card), PRESSED_MS);
  }, true);
  const keep = (waits, key) => {
    if (key.length === 1) waits.typed += key;
    if (key === 'Backspace') waits.typed = waits.typed.slice(0, -1);
  };
  const giveTyped = (card, field) => {
    const waits = pressed.get(card);
    pressed.delete(card);
    // As if it was typed now: so the field tells of it when it is left, and not before.
    if (waits && waits.typed && field.value === '') document.execCommand('insertText', false, waits.typed);
  };

  window.addEventListener('keydown', event => {
    const key = event.key, at = event.target, card = cardOf(at);
    if (event.isComposing) return;
    const chord = event.ctrlKey || event.metaKey, inField = at.matches && at.matches(FIELD);
    if (!card && !inField && !chord && key.length === 1 && Date.now() < quietUntil) {
      event.stopImmediatePropagation();
      return event.preventDefault();
    }
    if (!card) return;
    const waits = inField ? undefined : pressed.get(card);
    const name = key === 'Escape' ? 'esc' : inField ? (key === 'Enter' && chord ? 'enter' : '') : key.toLowerCase();
    const ours = inField ? name : !chord && !event.altKey
      && (key.length === 1 || /^(Escape|Enter|Tab|Arrow.*|Backspace|Delete)$/.test(key));
    if (!ours) return;
    event.stopImmediatePropagation();  // the notebook's own keys would change cells
    if (waits && !/^(Escape|Tab|Arrow.*)$/.test(key)) {
      keep(waits, key);
      return event.preventDefault();
    }
    if (!/^([a-z]|esc|enter)$/.test(name) || (name === 'enter' && !inField)) return;
    event.preventDefault();
    const bar = event.shiftKey && !inField && card.closest('[' + BOX + ']')?.querySelector('.agt-bar');
    const all = bar && button(bar, 'all-' + name);
    if (all) return event.repeat || !isArmed(bar) ? undefined : all.click();
    const to = button(card, name);
    if (!to) return name === 'esc' ? leave(card) : undefined;
    if (event.repeat || !(inField || isArmed(card))) return;
    // Whoever has a drawer open is about to type: a letter that misses its field must not answer the call as it was.
    if (name.length === 1 && button(card, 'esc')) return;
    if (inField) to.focus();  // a field tells its value when it is left
    to.click();
    if (inField && name === 'enter' && at.isConnected) at.focus();  // refused: what is typed next goes into the field
  }, true);

  window.addEventListener('focusin', event => {
    const card = cardOf(event.target);
    if (card && event.relatedTarget && !cardOf(event.relatedTarget)) from = event.relatedTarget;
    if (event.target !== document.body) last = card || (event.target.closest('[' + BOX + ']') ? event.target : null);
    if (card) cell = card.closest('.jp-Cell');
    if (card && event.target.matches(FIELD)) giveTyped(card, event.target);
  }, true);

  // Whoever clicks beside a card has left it; an element that is taken away tells of it too, and is gone by then.
  window.addEventListener('focusout', ({target, relatedTarget}) => relatedTarget || setTimeout(() => {
    if (target.isConnected && !target.disabled && now() === document.body) last = null;
  }), true);

  const asks = card => card.querySelector('[data-name]');
  const showKeys = node => {
    node.querySelectorAll('button[class*=' + KEY + ']:not([data-key])').forEach(b => {
      const key = [...b.classList].find(c => c.startsWith(KEY)).slice(KEY.length);
      b.dataset.key = LABELS[key] || key;
      b.setAttribute('aria-keyshortcuts', LABELS[key] || key.toUpperCase());
    });
  };
  // What answers for all of the cards does so only for those that a person can have seen in its list.
  const guard = bar => {
    bar.setAttribute('data-keys', '');
    showKeys(bar);
    arm(bar, MOVED_MS);
  };
  const dress = card => {
    const name = asks(card);
    if (name) card.setAttribute('aria-label', name.dataset.name);
    showKeys(card);
    if (!name || card.hasAttribute('data-keys')) return;
    card.setAttribute('data-keys', '');
    card.setAttribute('role', 'group');
    card.tabIndex = -1;
    arm(card, MOVED_MS);
    if (free() && inView(card)) take(card);
  };
  const look = () => document.querySelectorAll(CARD).forEach(dress);

  // A card that goes gives the focus to the next one, or back to where it came from; what moves up is not clicked.
  const watch = new MutationObserver(changes => {
    for (const {type, target, removedNodes} of changes) {
      const bar = target.closest('.agt-bar');
      if (bar) guard(bar);
      const card = cardOf(target);
      if (card && type === 'childList' && pressed.has(card)) arm(card, MOVED_MS);
      if (removedNodes.length && (target.hasAttribute(BOX) || cardOf(target) === null))
        target.querySelectorAll(CARD).forEach(card => arm(card, MOVED_MS));
    }
    look();
    const lost = !now() || now() === document.body;
    if (!last) return;
    if (last.isConnected && (asks(last) || !last.matches(CARD))) return lost ? last.focus({preventScroll: true}) : undefined;
    const gone = last, next = [...document.querySelectorAll(CARD)].find(c => asks(c) && inView(c));
    if (!lost && now() !== gone) return;
    last = null;
    quietUntil = Date.now() + TAKEN_MS;  // a word that was begun in the card is no row of commands of the notebook
    next ? take(next) : leave(gone);
    const at = cell && (cell.querySelector('.jp-Cell-outputWrapper') || cell);  // a tall card leaves a hole
    if (!next && at) setTimeout(() => at.scrollIntoView({block: 'nearest'}), MOVED_MS);
  });
  // The bar is there before the cards are.
  window.agtCards = from => {
    const bar = from.closest('.agt-bar'), box = bar && bar.parentElement;
    if (box && !box.hasAttribute(BOX)) {
      box.setAttribute(BOX, '');
      guard(bar);
      watch.observe(box, {childList: true, subtree: true, attributeFilter: ['class']});
    }
    look();
  };
  window.agtCards(style);
})(this);
