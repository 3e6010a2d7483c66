// The twin has a flag for each thread: both run the function.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang,libc++
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once[2];
static int value;

static void work(int i) {
    std::call_once(once[i], [] { value++; });
    assert(value == 1); // HERE
}

int main() {
    std::thread t(work, 1);
    work(0);
    t.join();
}
