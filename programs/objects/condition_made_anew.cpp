// A condition variable is constructed again in its own place while a thread waits.
// gabion: verdict=bug kind=lock-misuse message="written over while a thread waits"
// gabion: native=no
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

std::mutex m;
std::condition_variable c;
bool ready;

int main() {
    std::thread t([] {
        std::unique_lock<std::mutex> lock(m);
        c.wait(lock, [] { return ready; });
    });
    {
        std::lock_guard<std::mutex> lock(m);
        new (&c) std::condition_variable;
        ready = true;
        c.notify_one();
    }
    t.join();
}
