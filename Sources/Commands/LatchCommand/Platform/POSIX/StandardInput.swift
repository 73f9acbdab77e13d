// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension Shell.Input {
    /// The process's standard input.
    package static let standard = Shell.Input(
        isTerminal: isatty(STDIN_FILENO) == 1,
        all: { limit in await onThread { readAll(upTo: limit + 1) } },
        line: { isShown, signals in
            // Whoever interrupts a question gets back a terminal that shows what they type: we listen before it is silent.
            let wishes = signals.received()
            let terminal = isShown ? nil : SilentTerminal()
            let watch = Task {
                for await signal in wishes {
                    terminal?.restore()
                    Signals.endProcess(by: signal)
                }
            }
            defer {
                watch.cancel()
                terminal?.restore()
            }
            let bytes = await onThread { readLine(upTo: 4096) }
            guard !bytes.isEmpty else { return nil }
            return String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
        },
        lines: { limit in
            let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
            DispatchQueue(label: "latch.input").async {
                readLines(upTo: limit) { continuation.yield($0) }
                continuation.finish()
            }
            return stream
        })

    /// Runs what blocks on a thread of its own.
    private static func onThread(_ body: @escaping @Sendable () -> [UInt8]) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "latch.input").async { continuation.resume(returning: body()) }
        }
    }

    /// Reads to the end, or as much as the limit.
    private static func readAll(upTo limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let count = systemRead(STDIN_FILENO, &buffer, min(buffer.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Reads to the end, and gives each line as soon as it is complete; what stands behind the last break is one, too.
    private static func readLines(upTo limit: Int, _ give: ([UInt8]) -> Void) {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = systemRead(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end].prefix(limit + 1 - line.count)
                give(line)
                line = []
                rest = rest[(end + 1)...]
            }
            line += rest.prefix(limit + 1 - line.count)
        }
        if !line.isEmpty { give(line) }
    }

    /// Reads to the end of a line, with its line break, and not a byte more: what follows may be meant for somebody else.
    private static func readLine(upTo limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < limit, bytes.last != UInt8(ascii: "\n") {
            let count = systemRead(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { break }
            bytes.append(byte)
        }
        return bytes
    }
}

/// A terminal that does not show what is typed, until it is restored.
private final class SilentTerminal: Sendable {
    private let before: termios

    /// Nil where standard input is no terminal.
    init?() {
        var terms = termios()
        guard tcgetattr(STDIN_FILENO, &terms) == 0 else { return nil }
        before = terms
        terms.c_lflag &= ~tcflag_t(ECHO)
        // Ctrl-Z would leave the shell with a terminal that shows nothing.
        withUnsafeMutableBytes(of: &terms.c_cc) { $0[Int(VSUSP)] = 0 }
        // What was typed before the question is not its answer.
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &terms) == 0 else { return nil }
    }

    func restore() {
        var terms = before
        tcsetattr(STDIN_FILENO, TCSANOW, &terms)
    }
}

/// The system's `read`, which the methods above would hide.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}
