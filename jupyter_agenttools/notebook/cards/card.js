// What a card needs of the page itself: its keys, where the focus goes, and that no click hits what has just moved.
// It comes with a card (see page.py) and runs once a page. Without it a card is a stack of ordinary buttons and fields.
(() => {
  if (window.agtCards) return window.agtCards.look();
  const CARD = ".agt-ask", KEY = "agt-key-", MOVED_MS = 350, TAKEN_MS = 900;
  const FIELD = "input:not([type=checkbox]):not([type=radio]),textarea,select,[contenteditable=true]";
  const cardOf = node => node && node.closest ? node.closest(CARD) : null;
  const button = (card, key) => card.querySelector(`button.${KEY}${key}:not([disabled])`);
  const arms = new WeakMap();
  let last = null, from = null;

  // A card answers neither to a key nor to a click before a person can have seen what is there now.
  const arm = (card, ms) => {
    card.removeAttribute("data-armed");
    clearTimeout(arms.get(card));
    arms.set(card, setTimeout(() => card.setAttribute("data-armed", ""), ms));
  };
  const home = card => {
    const cell = card && card.closest(".jp-Cell, .jp-Notebook");
    return from && from.isConnected ? from : cell || document.querySelector(".jp-Cell.jp-mod-active, .jp-Notebook");
  };
  const leave = card => { const to = home(card); to ? to.focus({preventScroll: true}) : document.activeElement.blur(); };

  addEventListener("keydown", event => {
    const card = cardOf(event.target), key = event.key;
    if (!card || event.isComposing) return;
    const chord = event.ctrlKey || event.metaKey;
    if (event.target.matches(FIELD)) {
      const name = key === "Escape" ? "esc" : key === "Enter" && chord ? "enter" : "";
      if (!name) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      // The field tells its value when it is left.
      const to = button(card, name);
      to ? (to.focus(), to.click()) : leave(card);
      return;
    }
    if (chord || event.altKey || (key.length > 1 && !/^(Escape|Enter|Tab|Arrow.*|Backspace|Delete)$/.test(key))) return;
    event.stopImmediatePropagation();  // the notebook's own keys would change cells
    if (key.length > 1 && key !== "Escape") return;
    if (key === "Escape") { const to = button(card, "esc"); to ? to.click() : leave(card); return; }
    const to = /^[a-z]$/i.test(key) ? button(card, key.toLowerCase()) : null;
    if (!to) return;
    event.preventDefault();
    if (!event.repeat && card.hasAttribute("data-armed")) to.click();
  }, true);

  addEventListener("focusin", event => {
    const card = cardOf(event.target);
    if (card && !cardOf(event.relatedTarget) && event.relatedTarget) from = event.relatedTarget;
    if (card || event.target !== document.body) last = card;
  }, true);

  const free = () => {
    const at = document.activeElement;
    return !at || at === document.body || !!(at.closest(".jp-Notebook") && !at.matches(FIELD) && !cardOf(at));
  };
  const inView = node => {
    const box = node.getBoundingClientRect();
    return box.height > 0 && box.top >= 0 && box.top < innerHeight;
  };
  const take = card => { from = from || document.activeElement; arm(card, TAKEN_MS); card.focus({preventScroll: true}); };

  // A card that goes gives the focus to the next one, or back to where it came from; what moves up is not clicked.
  const watch = new MutationObserver(changes => {
    const moved = changes.filter(c => [...c.removedNodes, ...c.addedNodes].some(n => n.nodeType === 1));
    for (const {target} of moved) if (target.matches("[data-cards]")) {
      target.querySelectorAll(CARD).forEach(card => arm(card, MOVED_MS));
    }
    if (last && !last.isConnected) {
      const gone = last, box = moved.map(c => c.target).find(t => t.isConnected && t.querySelector(CARD));
      last = null;
      if (document.activeElement && document.activeElement !== document.body) return;
      const next = box && box.querySelector(CARD);
      next ? take(next) : leave(gone);
    }
  });

  const look = () => document.querySelectorAll(`${CARD}:not([data-keys])`).forEach(card => {
    const name = card.querySelector("[data-name]");
    card.setAttribute("data-keys", "");
    card.setAttribute("role", "group");
    card.setAttribute("tabindex", "-1");
    if (name) card.setAttribute("aria-label", name.dataset.name);
    card.querySelectorAll(`button[class*=${KEY}]`).forEach(b => {
      const key = [...b.classList].find(c => c.startsWith(KEY)).slice(KEY.length);
      b.setAttribute("aria-keyshortcuts", key.toUpperCase());
    });
    const box = card.parentElement;
    if (box && !box.hasAttribute("data-cards")) {
      box.setAttribute("data-cards", "");
      watch.observe(box, {childList: true, subtree: true});
    }
    arm(card, MOVED_MS);
    if (free() && inView(card)) take(card);
  });
  window.agtCards = {look};
  look();
})();
