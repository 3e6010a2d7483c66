// The twin that holds a fourth mutex while it takes the three, and the other way round.
// gabion: verdict=bug kind=deadlock
// gabion: args=--cflags -std=c++17
// gabion: compilers=gcc,clang
#include <mutex>
#include <thread>

static std::mutex a, b, c, outer;

int main() {
    std::thread t([] {
        std::lock_guard<std::mutex> first(outer);
        std::scoped_lock hold(a, b, c);
    });
    {
        std::scoped_lock hold(c, b, a);
        std::lock_guard<std::mutex> last(outer);
    }
    t.join();
}
