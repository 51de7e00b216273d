/**
 * Makes the content on the page like the content that came, touching only what differs:
 * what somebody types, opens, selects or scrolls stays as it is.
 */
export const morphScript = `
function keyOf(node) {
  return node.nodeType === 1 ? node.id : '';
}

function sameKind(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && keyOf(one) === keyOf(other);
}

function morphAttributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && name !== 'open' && name !== 'aria-busy') from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (name !== 'open' && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

function morph(from, to) {
  if (from.nodeType !== 1) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  if (from.nodeName === 'TIME' && from.getAttribute('datetime') === to.getAttribute('datetime')) return;
  morphAttributes(from, to);
  if (from.nodeName !== 'TEXTAREA') morphChildren(from, to);
}

function morphChildren(from, to) {
  const wanted = [...to.childNodes];
  const keys = new Set(wanted.map(keyOf));
  for (const child of [...from.childNodes]) {
    if (keyOf(child) !== '' && !keys.has(keyOf(child))) child.remove();
  }
  let place = from.firstChild;
  for (const next of wanted) {
    place = placeFor(from, place, next);
    if (place !== null && sameKind(place, next)) {
      morph(place, next);
      place = place.nextSibling;
    } else {
      from.insertBefore(document.importNode(next, true), place);
    }
  }
  while (place !== null) {
    const rest = place.nextSibling;
    place.remove();
    place = rest;
  }
}

/** Clears the way to a child that is there already, rather than moving it: a moved box loses its caret. */
function placeFor(from, place, next) {
  const key = keyOf(next);
  if (key === '') return place;
  const found = [...from.childNodes].find((child) => sameKind(child, next));
  if (found === undefined || !follows(place, found)) return place;
  while (place !== found) {
    const rest = place.nextSibling;
    if (keyOf(place) === '') place.remove();
    else found.after(place);
    place = rest;
  }
  return place;
}

function follows(place, found) {
  for (let node = place; node !== null; node = node.nextSibling) if (node === found) return true;
  return false;
}
`;
