// gabion: verdict=bug kind=assertion message=items.size() compilers=gcc,clang
// The same in C++: objects are still there when the check is made, in spite of their destructors.
#include <gabion.h>
#include <thread>

namespace shop {
struct Items {
    int count = 0;
    int size() const { return count; }
};
static Items items;
}
using shop::items;
gabion_assert_at_end(items.size() == 2);

static void add() { items.count++; }

int main() {
    std::thread other(add);
    add();
    other.join();
}
