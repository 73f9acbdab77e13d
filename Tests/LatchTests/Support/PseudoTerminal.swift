// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import LatchProcess
import Synchronization
import Testing

@testable import latch

/// A pseudo terminal: a test reads what a program prints, and types only what that asks for.
final class PseudoTerminal: Sendable {
    /// The program has printed something else to its end, or has been silent for two minutes.
    struct Silence: Error, CustomStringConvertible {
        let description: String
    }

    /// The path of the program's side.
    let path: String
    /// The test's side, closed with this object.
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "latch.pseudo-terminal")
    private let printed = Mutex(Printed())

    private struct Printed {
        var bytes: [UInt8] = []
        /// The number of bytes that the test has already seen.
        var seen = 0

        /// Goes on behind a text; false if it was not printed yet.
        mutating func see(_ text: [UInt8]) -> Bool {
            guard let range = bytes[seen...].firstRange(of: text) else { return false }
            seen = range.upperBound
            return true
        }
    }

    init() throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number) = (Int32(0), Int32(0))
        // ioctl_tty(2): TIOCSPTLCK unlocks the other side, TIOCGPTN returns its number.
        let isOpen = ioctl(descriptor, 0x4004_5431, &lock) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0
        try #require(isOpen)
        path = "/dev/pts/\(number)"
    }

    deinit { close(descriptor) }

    /// Whether the terminal shows what is typed.
    var isEchoing: Bool {
        var attributes = termios()
        return tcgetattr(descriptor, &attributes) == 0 && attributes.c_lflag & tcflag_t(ECHO) != 0
    }

    /// All that was printed, without carriage returns.
    var text: String {
        printed.withLock { String(decoding: $0.bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self) }
    }

    /// Waits until the program has printed a text after the one before.
    func expect(_ text: String) async throws {
        let isThere: Bool = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.read { $0.see(Array(text.utf8)) }) }
        }
        guard isThere else { throw Silence(description: "not '\(text)', but: \(self.text)") }
    }

    func answer(_ prompt: String, _ line: String) async throws {
        try await expect(prompt + ": ")
        type(line + "\n")
    }

    /// Types characters; 3 is Ctrl-C, 4 is Ctrl-D.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Reads what is left once the program has ended.
    func finish() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                _ = self.read { _ in false }
                continuation.resume()
            }
        }
    }

    /// Reads until a condition holds; false at the end, or after two minutes of silence.
    private func read(until isDone: (inout Printed) -> Bool) -> Bool {
        while true {
            if printed.withLock({ isDone(&$0) }) { return true }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, 120_000) > 0 else { return false }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return false }
            printed.withLock { $0.bytes += bytes[..<count] }
        }
    }
}
