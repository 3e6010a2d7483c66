// Threads that run lambdas have names that tell them apart.
// says: by T1 (lambda 1 in main) at lambdas.cpp:11
// says: the write by T2 (lambda 2 in main) at lambdas.cpp:12
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n;

int main() {
    std::thread a([] { n.store(n.load() + 1); });
    std::thread b([] { n.store(n.load() + 1); });
    a.join();
    b.join();
    assert(n == 2);
}
