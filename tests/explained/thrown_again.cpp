// An exception comes out of a future: what the one read that threw it is told, not what the library counts for it.
// says: The exception was thrown by T1 (lambda 1 in main)
// says: T1 (lambda 1 in main) reads late at thrown_again.cpp:13 and finds 1
// says: In the closest interleaving that passes it finds 0.
// never: heap
#include <atomic>
#include <future>
#include <stdexcept>

static std::atomic<int> late;

int main() {
    auto task = std::async(std::launch::async, [] { if (late.load() == 1) throw std::logic_error("late"); });
    late.store(1);
    task.get();
}
