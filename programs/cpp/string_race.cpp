// A string that two threads change: both may let go of the old text.
// gabion: verdict=bug kind=race|use-after-free|double-free
// gabion: args=--cflags -std=c++20 --races deny
#include <string>
#include <thread>

static std::string text;

int main() {
    std::thread t([] { text = "longer than what fits into the string itself"; });
    text = "also longer than what fits into the string itself";
    t.join();
    return text.empty();
}
