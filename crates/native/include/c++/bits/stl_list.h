// The part of std::list that libstdc++ keeps in its library, compiled and instrumented with the program.
#pragma GCC system_header
#include_next <bits/stl_list.h>
#if !defined(GABION_STL_LIST) && _GLIBCXX_RELEASE <= 14 // declared as here; later ones are the library's own
#define GABION_STL_LIST

namespace std {
namespace __detail {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

// A ring of nodes. One that links only to itself is an empty list's.

__attribute__((weak)) void _List_node_base::_M_hook(_List_node_base *const position) _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *const before = position->_M_prev;
  _M_prev = before;
  _M_next = position;
  before->_M_next = this;
  position->_M_prev = this;
}

__attribute__((weak)) void _List_node_base::_M_unhook() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *const before = _M_prev;
  _List_node_base *const after = _M_next;
  before->_M_next = after;
  after->_M_prev = before;
}

// Moves the nodes from first up to last, which stays where it is, in front of this one.
__attribute__((weak)) void _List_node_base::_M_transfer(_List_node_base *const first,
                                                        _List_node_base *const last) _GLIBCXX_USE_NOEXCEPT {
  if (this == last || first == last)
    return;
  _List_node_base *const end = last->_M_prev;
  _List_node_base *const left = first->_M_prev;
  left->_M_next = last;
  last->_M_prev = left;
  _List_node_base *const before = _M_prev;
  before->_M_next = first;
  first->_M_prev = before;
  end->_M_next = this;
  _M_prev = end;
}

__attribute__((weak)) void _List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *node = this;
  do {
    _List_node_base *const next = node->_M_next;
    node->_M_next = node->_M_prev;
    node->_M_prev = next;
    node = next;
  } while (node != this);
}

__attribute__((weak)) void _List_node_base::swap(_List_node_base &x, _List_node_base &y) _GLIBCXX_USE_NOEXCEPT {
  const bool x_is_empty = x._M_next == &x;
  const bool y_is_empty = y._M_next == &y;
  _List_node_base *const first[2] = {x._M_next, y._M_next};
  _List_node_base *const last[2] = {x._M_prev, y._M_prev};
  x._M_next = y_is_empty ? &x : first[1];
  x._M_prev = y_is_empty ? &x : last[1];
  y._M_next = x_is_empty ? &y : first[0];
  y._M_prev = x_is_empty ? &y : last[0];
  x._M_next->_M_prev = x._M_prev->_M_next = &x;
  y._M_next->_M_prev = y._M_prev->_M_next = &y;
}

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace __detail
} // namespace std
#endif
