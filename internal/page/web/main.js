// The page's own script: the way in, the screens and their streams, what is new on them,
// keys, buttons that ask back, and plots.
import htmx from 'htmx.org';

const $ = (id) => document.getElementById(id);
const tokenKey = 'piton-token';
let token = sessionStorage.getItem(tokenKey);

// The way in: the ticket of the address is changed for a token, once, and leaves no trace in
// the history.
async function enter() {
  const ticket = location.hash.slice(1);
  if (ticket && /^[A-Z2-7]{40,}$/.test(ticket)) {
    history.replaceState(null, '', location.pathname + location.search);
    const r = await fetch('/enter', {method: 'POST', headers: {'Piton-Ticket': ticket}});
    if (!r.ok) return shut(await r.text());
    token = await r.text();
    sessionStorage.setItem(tokenKey, token);
  }
  if (!token) return shut('this tab was not opened by Piton.');
  show(location.pathname + location.search, false);
}

// A stream that is left is ended: a browser has six connections to one address.
function leave() {
  for (const old of $('stream').children) {
    old.removeAttribute('hx-sse:connect');
    htmx.process(old, true);
  }
  $('stream').replaceChildren();
}

function shut(why) {
  token = null;
  sessionStorage.removeItem(tokenKey);
  leave();
  clearTimeout(slow);
  $('connection').textContent = '';
  document.body.classList.remove('old');
  document.title = 'Piton';
  $('main').innerHTML = '<h1>Type <code>piton ui</code> on a terminal</h1><p id="shut"></p><p>It opens this page with a new address that holds once.</p>';
  $('shut').textContent = 'The page shows nothing here: ' + why.trim();
}

document.addEventListener('htmx:config:request', (e) => {
  e.detail.ctx.request.headers['Piton-Token'] = token;
});

// A screen is a stream: its first message is the screen, each further one the screen as it
// is then. Elements keep their focus, as they are changed and not replaced.
function show(address, moved) {
  for (const a of document.querySelectorAll('header nav a')) {
    const of = a.getAttribute('href');
    const here = address.split('?')[0];
    const is = here === of || of !== '/' && here.startsWith(of.replace(/s$/, '/'));
    is ? a.setAttribute('aria-current', 'page') : a.removeAttribute('aria-current');
  }
  seen = null;
  clearTimeout(slow);
  slow = setTimeout(() => { $('main').innerHTML = '<h1>One moment</h1><p class="busy">This is being read. The first search after much was saved can take a minute.</p>'; }, 400);
  const s = document.createElement('div');
  s.setAttribute('hx-sse:connect', '/live' + address);
  s.setAttribute('hx-target', '#main');
  s.setAttribute('hx-swap', 'innerMorph');
  leave();
  $('stream').append(s);
  htmx.process(s);
  if (moved) {
    scrollTo(0, 0);
    $('main').focus({preventScroll: true});
  }
}

function go(address) {
  if (lost) return; // nothing would come
  history.pushState(null, '', address);
  show(address, true);
}

addEventListener('popstate', () => show(location.pathname + location.search, true));

document.addEventListener('click', (e) => {
  const a = e.target.closest('a[href]');
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
  const to = a.getAttribute('href') || a.href.baseVal;
  if (to.startsWith('#')) return;
  const at = new URL(to, location.href);
  if (at.origin !== location.origin) return;
  e.preventDefault();
  go(at.pathname + at.search);
});

document.addEventListener('submit', (e) => {
  if (e.target.method === 'dialog') return;
  e.preventDefault();
  const q = new URLSearchParams(new FormData(e.target)).toString();
  go((e.target.matches('[data-find]') ? '/find' : location.pathname) + '?' + q);
});

// What is new is marked for a while, and said at most every few seconds.
let seen = null; // none yet of this screen
let slow = 0;
let said = 0;
const newFor = 30000;
const sayEvery = 5000;

function values() {
  return new Map([...$('main').querySelectorAll('[data-v][id]')].map((x) => [x.id, x.dataset.v]));
}

function mark() {
  const now = values();
  clearTimeout(slow);
  if (seen) {
    const fresh = [...$('main').querySelectorAll('[data-v][id]')].filter((x) => seen.get(x.id) !== now.get(x.id));
    for (const x of fresh) {
      x.dataset.fresh = Date.now();
      setTimeout(() => { if (Date.now() - x.dataset.fresh >= newFor) delete x.dataset.fresh; }, newFor + 50);
    }
    const words = fresh.map((x) => x.dataset.say).filter(Boolean);
    if (words.length && Date.now() - said > sayEvery) {
      said = Date.now();
      $('news').textContent = words.slice(0, 3).join('; ') + (words.length > 3 ? '; and ' + (words.length - 3) + ' more' : '');
    }
  }
  seen = now;
}

// What has the focus stays where it is in the window, whatever comes above it.
let held;
document.addEventListener('htmx:sse:before:message', () => {
  const x = document.activeElement;
  held = seen && x !== $('main') && $('main').contains(x) ? {x, top: x.getBoundingClientRect().top} : null;
});
document.addEventListener('htmx:sse:after:message', () => {
  if (held?.x.isConnected) scrollBy(0, held.x.getBoundingClientRect().top - held.top);
  else if (held && document.activeElement === document.body) $('main').focus({preventScroll: true});
  const h = $('main').querySelector('h1');
  const calls = $('sum')?.querySelector('b')?.textContent;
  document.title = (calls ? '(' + parseInt(calls) + ') ' : '') + (h ? h.textContent.trim() + ' · ' : '') + 'Piton';
  mark();
  plots();
});

// The connection: what is shown while there is none is old, and says so. After a while no
// more is asked for: another program may listen there by then.
let lost = 0;
const lostFor = 60000;
function connected(is) {
  lost = is ? 0 : lost || Date.now();
  if (!is && Date.now() - lost > lostFor) return shut('Piton has ended.');
  $('connection').textContent = is || !token ? '' : 'Piton does not answer: what is shown may be old. It is tried again for a minute; “piton ui” opens a new page.';
  document.body.classList.toggle('old', !is);
}
document.addEventListener('htmx:sse:after:connection', () => connected(true));
document.addEventListener('htmx:sse:error', (e) => e.detail.status === 401 ? shut('its address is not known any more.') : connected(false));
document.addEventListener('htmx:sse:close', (e) => { if (e.detail.reason === 'ended') connected(false); });
document.addEventListener('htmx:response:error', async (e) => {
  const r = e.detail.ctx.response;
  if (r?.status === 401) shut('its address is not known any more.');
  else $('connection').textContent = 'This was refused: ' + (e.detail.ctx.text || r?.status);
});
document.addEventListener('htmx:error', () => {
  connected(false);
  setTimeout(() => { if (token && !$('main').querySelector('h1')) show(location.pathname + location.search, false); }, 1000);
});

// Keys.
let after = '';
const typing = (x) => x.matches('input,textarea,select,[contenteditable]');
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
  if (typing(e.target)) {
    if (e.key === 'Escape') e.target.blur();
    return;
  }
  const link = after === 'g' && document.querySelector('nav a[data-key="' + CSS.escape(e.key) + '"]');
  after = e.key === 'g' ? 'g' : '';
  const does = link ? () => go(link.getAttribute('href')) : {'/': () => $('words').focus(), '?': () => $('keys').showModal(), j: () => step(1), k: () => step(-1), c: () => copyFirst()}[e.key];
  if (!does) return;
  e.preventDefault();
  does();
});

function step(by) {
  const all = [...$('main').querySelectorAll('[data-row]')].map((r) => r.querySelector('a,summary,button')).filter((x) => x && x.getClientRects().length);
  const at = all.findIndex((x) => x === document.activeElement || x.closest('[data-row]').contains(document.activeElement));
  const to = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))];
  to?.focus();
  to?.scrollIntoView({block: 'nearest'});
}

function copyFirst() {
  (document.activeElement.closest('[data-row]')?.querySelector('[data-copy]') || $('main').querySelector('[data-copy]'))?.click();
}

$('help').addEventListener('click', () => $('keys').showModal());

// Buttons: some copy, some ask back before they do something.
document.addEventListener('click', async (e) => {
  const b = e.target.closest('button');
  if (b?.dataset.copy) {
    try { await navigator.clipboard.writeText(b.dataset.copy); } catch { choose(b.previousElementSibling); return; }
    $('news').textContent = 'Copied: ' + b.dataset.copy;
    b.classList.add('done');
    setTimeout(() => b.classList.remove('done'), 1500);
  }
  if (b?.dataset.act) ask(b.dataset);
});

// Where the clipboard is not to be had the command is selected, to be copied by hand.
function choose(x) {
  const r = document.createRange();
  r.selectNodeContents(x);
  getSelection().removeAllRanges();
  getSelection().addRange(r);
}

let asked;
function ask(d) {
  asked = {...d};
  const word = document.querySelector('[data-act="' + d.act + '"]').firstChild.textContent;
  $('h-ask').textContent = word + '?';
  $('ask-says').textContent = d.says;
  $('ask-thing').textContent = d.thing;
  $('ask-failed').textContent = '';
  $('ask-yes').textContent = word + ' ' + d.thing;
  $('ask').showModal();
  $('ask-no').focus();
}
$('ask-no').addEventListener('click', () => $('ask').close());
$('ask-yes').addEventListener('click', async () => {
  $('ask-yes').disabled = true;
  try {
    const r = await fetch('/act/' + asked.act, {method: 'POST', headers: {'Piton-Token': token, 'Content-Type': 'application/json'}, body: JSON.stringify({thing: asked.thing, confirm: $('ask-thing').textContent})});
    if (r.ok) $('ask').close();
    else $('ask-failed').textContent = 'It was not done: ' + (await r.text()).trim();
  } catch {
    $('ask-failed').textContent = 'Piton does not answer. Look at the screen whether it was done.';
  }
  $('ask-yes').disabled = false;
});

// Plots have a file of their own: most screens have none.
async function plots() {
  if ($('main').querySelector('.plot')) (await import('/plots.js')).plots($('main'));
}

enter();
