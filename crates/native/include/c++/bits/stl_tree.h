// The part of std::map and std::set that libstdc++ keeps in its library, compiled and instrumented with the program.
#pragma GCC system_header
#include_next <bits/stl_tree.h>
#if !defined(GABION_STL_TREE) && _GLIBCXX_RELEASE <= 14 // declared as here; later ones are the library's own
#define GABION_STL_TREE

// A red-black tree. The header is no element: its parent is the root, its left the first element, its right the last; it
// is the root's parent, and red, which no root is.

namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *node) throw() {
  if (node->_M_right)
    return _Rb_tree_node_base::_S_minimum(node->_M_right);
  _Rb_tree_node_base *up = node->_M_parent;
  while (node == up->_M_right) {
    node = up;
    up = up->_M_parent;
  }
  // From the last element the way up leads through the root to the header, and back if the root has nothing to its right.
  return node->_M_right == up ? node : up;
}

__attribute__((weak)) const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *node) throw() {
  return _Rb_tree_increment(const_cast<_Rb_tree_node_base *>(node));
}

__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *node) throw() {
  if (node->_M_color == _S_red && node->_M_parent->_M_parent == node)
    return node->_M_right; // the header: back to the last element
  if (node->_M_left)
    return _Rb_tree_node_base::_S_maximum(node->_M_left);
  _Rb_tree_node_base *up = node->_M_parent;
  while (node == up->_M_left) {
    node = up;
    up = up->_M_parent;
  }
  return up;
}

__attribute__((weak)) const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *node) throw() {
  return _Rb_tree_decrement(const_cast<_Rb_tree_node_base *>(node));
}

// What the node's parent has for it, set to another.
static inline void __gabion_put(_Rb_tree_node_base *node, _Rb_tree_node_base *other, _Rb_tree_node_base &header) {
  _Rb_tree_node_base *const up = node->_M_parent;
  if (header._M_parent == node)
    header._M_parent = other;
  else if (up->_M_left == node)
    up->_M_left = other;
  else
    up->_M_right = other;
  if (other)
    other->_M_parent = up;
}

// The node changes places with its child on the other side than where it goes.
static inline void __gabion_rotate(_Rb_tree_node_base *node, bool to_left, _Rb_tree_node_base &header) {
  _Rb_tree_node_base *const child = to_left ? node->_M_right : node->_M_left;
  __gabion_put(node, child, header);
  _Rb_tree_node_base *const between = to_left ? child->_M_left : child->_M_right;
  (to_left ? node->_M_right : node->_M_left) = between;
  if (between)
    between->_M_parent = node;
  (to_left ? child->_M_left : child->_M_right) = node;
  node->_M_parent = child;
}

__attribute__((weak)) void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base *node,
                                                         _Rb_tree_node_base *parent,
                                                         _Rb_tree_node_base &header) throw() {
  node->_M_color = _S_red;
  node->_M_parent = parent;
  node->_M_left = node->_M_right = 0;
  if (parent == &header) {
    header._M_parent = header._M_left = header._M_right = node;
  } else if (left) {
    parent->_M_left = node;
    if (header._M_left == parent)
      header._M_left = node;
  } else {
    parent->_M_right = node;
    if (header._M_right == parent)
      header._M_right = node;
  }
  // No red node has a red parent.
  while (node != header._M_parent && node->_M_parent->_M_color == _S_red) {
    _Rb_tree_node_base *const up = node->_M_parent->_M_parent;
    const bool on_left = node->_M_parent == up->_M_left;
    _Rb_tree_node_base *const uncle = on_left ? up->_M_right : up->_M_left;
    if (uncle && uncle->_M_color == _S_red) {
      node->_M_parent->_M_color = uncle->_M_color = _S_black;
      up->_M_color = _S_red;
      node = up;
      continue;
    }
    if (node == (on_left ? node->_M_parent->_M_right : node->_M_parent->_M_left)) {
      node = node->_M_parent;
      __gabion_rotate(node, on_left, header);
    }
    node->_M_parent->_M_color = _S_black;
    up->_M_color = _S_red;
    __gabion_rotate(up, !on_left, header);
  }
  header._M_parent->_M_color = _S_black;
}

__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const node,
                                                                      _Rb_tree_node_base &header) throw() {
  if (header._M_left == node)
    header._M_left = node->_M_right ? _Rb_tree_node_base::_S_minimum(node->_M_right) : node->_M_parent;
  if (header._M_right == node)
    header._M_right = node->_M_left ? _Rb_tree_node_base::_S_maximum(node->_M_left) : node->_M_parent;
  // Where a node goes missing, its colour, and what comes there instead.
  _Rb_tree_color gone = node->_M_color;
  _Rb_tree_node_base *instead, *above;
  if (node->_M_left && node->_M_right) {
    // The next element takes the node's place, and leaves its own.
    _Rb_tree_node_base *const next = _Rb_tree_node_base::_S_minimum(node->_M_right);
    gone = next->_M_color;
    instead = next->_M_right;
    above = next->_M_parent == node ? next : next->_M_parent;
    if (above != next) {
      __gabion_put(next, instead, header);
      next->_M_right = node->_M_right;
      next->_M_right->_M_parent = next;
    }
    __gabion_put(node, next, header);
    next->_M_left = node->_M_left;
    next->_M_left->_M_parent = next;
    next->_M_color = node->_M_color;
    node->_M_color = gone;
  } else {
    instead = node->_M_left ? node->_M_left : node->_M_right;
    above = node->_M_parent;
    __gabion_put(node, instead, header);
  }
  if (gone == _S_red)
    return node;
  // Every way down has as many black nodes as any other; the ways through `instead` lack one.
  while (instead != header._M_parent && (!instead || instead->_M_color == _S_black)) {
    const bool on_left = instead == above->_M_left;
    _Rb_tree_node_base *sibling = on_left ? above->_M_right : above->_M_left;
    if (sibling->_M_color == _S_red) {
      sibling->_M_color = _S_black;
      above->_M_color = _S_red;
      __gabion_rotate(above, on_left, header);
      sibling = on_left ? above->_M_right : above->_M_left;
    }
    _Rb_tree_node_base *inner = on_left ? sibling->_M_left : sibling->_M_right;
    _Rb_tree_node_base *outer = on_left ? sibling->_M_right : sibling->_M_left;
    if ((!inner || inner->_M_color == _S_black) && (!outer || outer->_M_color == _S_black)) {
      sibling->_M_color = _S_red;
      instead = above;
      above = above->_M_parent;
      continue;
    }
    if (!outer || outer->_M_color == _S_black) {
      inner->_M_color = _S_black;
      sibling->_M_color = _S_red;
      __gabion_rotate(sibling, !on_left, header);
      outer = sibling;
      sibling = inner;
    }
    sibling->_M_color = above->_M_color;
    above->_M_color = _S_black;
    outer->_M_color = _S_black;
    __gabion_rotate(above, on_left, header);
    break;
  }
  if (instead)
    instead->_M_color = _S_black;
  return node;
}

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
