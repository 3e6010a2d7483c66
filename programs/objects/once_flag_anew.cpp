// A std::once_flag is made anew in place: its function may run twice.
// gabion: verdict=bug kind=assertion
#include <cassert>
#include <mutex>
#include <new>
#include <thread>

static std::once_flag flag;
static int runs;

static void call() {
    std::call_once(flag, [] { runs++; });
}

int main() {
    std::thread t(call);
    new (&flag) std::once_flag;
    call();
    t.join();
    assert(runs == 1);
}
