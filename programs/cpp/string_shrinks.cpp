// A string loses a character in each round, which its library writes.
// gabion: verdict=verified|complete
#include <mutex>
#include <string>
#include <thread>

static std::mutex mutex;
static std::string text(700, 'x');

int main() {
    std::thread worker([] {
        for (;;) {
            std::lock_guard<std::mutex> guard(mutex);
            if (text.empty())
                break;
            text.erase(0, 1);
        }
    });
    worker.join();
}
