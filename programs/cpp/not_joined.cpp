// A thread that is neither joined nor detached when its variable goes.
// gabion: verdict=bug kind=abort location=not_joined.cpp:6
// gabion: args=--cflags -std=c++20
#include <thread>

int main() { std::thread t([] {}); }
