// Who gives up after a while must look whether it did.
// gabion: verdict=bug kind=lock-misuse|assertion
// gabion: compilers=gcc,clang
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

static std::recursive_timed_mutex mutex;
static int inside;

static void work() {
    mutex.try_lock_for(std::chrono::milliseconds(1));
    assert(++inside == 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    inside--;
    mutex.unlock();
}

int main() {
    std::thread t(work);
    work();
    t.join();
}
