// What was allocated before `main`, by a library for a static variable, is told by the line of that, and its free is shown.
// heads: shared_pointer.cpp:12 in __static_initialization_and_destruction_0
// says: allocated by T0 (main) at shared_pointer.cpp:12, then freed by T1
// shows: free heap(shared_pointer.cpp:12) shared_pointer.cpp:14
// never: /usr/include
// never: new_allocator

#include <memory>
#include <thread>
#include <cassert>
struct Node { int v; Node(int v) : v(v) {} ~Node() { v = -1; } };
static std::shared_ptr<Node> current = std::make_shared<Node>(1);
int main() {
    std::thread t([] { current = std::make_shared<Node>(2); });
    std::shared_ptr<Node> mine = current;
    assert(mine->v > 0);
    t.join();
}
