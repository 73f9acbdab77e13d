// SPDX-License-Identifier: Apache-2.0

@main
enum Latch {
    static func main() {}
}
