// A lock that is described to the sanitizer, with annotations of older tools beside it.
// gabion: verdict=verified
// gabion: args=--races deny
// gabion: compilers=gcc,clang
#include <atomic>
#include <cassert>
#include <sanitizer/tsan_interface.h>
#include <thread>

extern "C" void AnnotateHappensBefore(const char *, int, void *);
extern "C" void AnnotateHappensAfter(const char *, int, void *);
extern "C" void AnnotateBenignRaceSized(const char *, int, const volatile void *, unsigned long, const char *);

class Lock {
public:
    Lock() { __tsan_mutex_create(this, 0); }
    ~Lock() { __tsan_mutex_destroy(this, 0); }
    void lock() {
        __tsan_mutex_pre_lock(this, 0);
        while (taken.exchange(true, std::memory_order_acquire))
            ;
        __tsan_mutex_post_lock(this, 0, 0);
    }
    void unlock() {
        __tsan_mutex_pre_unlock(this, 0);
        taken.store(false, std::memory_order_release);
        __tsan_mutex_post_unlock(this, 0);
    }

private:
    std::atomic<bool> taken{false};
};

static int counter;

int main() {
    Lock lock;
    AnnotateBenignRaceSized(__FILE__, __LINE__, &counter, sizeof counter, "none");
    auto count = [&lock] {
        lock.lock();
        counter++;
        lock.unlock();
        AnnotateHappensBefore(__FILE__, __LINE__, &counter);
    };
    std::thread other(count);
    count();
    other.join();
    AnnotateHappensAfter(__FILE__, __LINE__, &counter);
    assert(counter == 2);
}
