// The destructors of a thread's own variables have run when it was joined.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
// gabion: compilers=gcc,libc++
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> sum;

struct Own {
    int n = 0;
    ~Own() { sum += n; }
};

static thread_local Own own;

int main() {
    std::thread a([] { own.n = 1; });
    std::thread b([] { own.n = 2; });
    a.join();
    b.join();
    assert(sum == 3);
}
