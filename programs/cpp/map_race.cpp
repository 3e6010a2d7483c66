// A map is read while another thread inserts: what the tree's own code touches is seen.
// gabion: verdict=bug kind=race location=HERE
// gabion: args=--cflags -std=c++20 --races deny
#include <map>
#include <thread>

static std::map<int, int> squares{{1, 1}, {2, 4}, {3, 9}};

int main() {
    std::thread t([] { squares[4] = 16; }); // HERE
    int sum = 0;
    for (const auto &[n, square] : squares)
        sum += square;
    t.join();
    return sum < 14;
}
