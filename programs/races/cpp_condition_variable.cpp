// std::condition_variable hands data over.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable c;
static bool ready;
static int data;

static void write() {
    data = 1;
    std::lock_guard<std::mutex> guard(m);
    ready = true;
    c.notify_one();
}

int main() {
    std::thread other(write);
    {
        std::unique_lock<std::mutex> guard(m);
        c.wait(guard, [] { return ready; });
    }
    int value = data;
    other.join();
    return value != 1;
}
