// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension Environment.Input {
    /// Discards what a user has typed at the process's terminal so far.
    package func discardTyped() { if isTerminal { tcflush(STDIN_FILENO, TCIFLUSH) } }

    /// The process's standard input.
    package static let standard = Environment.Input(
        isTerminal: isatty(STDIN_FILENO) == 1,
        all: { limit in
            try await onThread {
                var bytes: [UInt8] = []
                try readPieces { piece in
                    bytes += piece
                    return bytes.count <= limit
                }
                return bytes
            }
        },
        line: { isShown, signals, writePrompt in
            // Listening begins before the echo is turned off, so that an interrupt always restores the terminal.
            let received = signals.received()
            let terminal = isShown ? nil : SilentTerminal()
            let watch = Task {
                for await signal in received {
                    terminal?.restore()
                    await signals.finishAndEnd(by: signal)
                }
            }
            defer {
                watch.cancel()
                terminal?.restore()
            }
            writePrompt()
            let bytes = try await onThread { try readLine(upTo: 4096) }
            guard !bytes.isEmpty else { return nil }
            return String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
        },
        lines: { limit in
            let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            DispatchQueue(label: "latch.input").async {
                do {
                    try readLines(upTo: limit) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            return stream
        })

    /// Runs a blocking function on a separate thread.
    private static func onThread(_ body: @escaping @Sendable () throws -> [UInt8]) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "latch.input").async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Passes on the input as it arrives, until it ends or `body` returns false.
    ///
    /// - Throws: `CommandError.failed` if the input cannot be read, because a part of a password is useless.
    private static func readPieces(of size: Int = 65_536, _ body: (ArraySlice<UInt8>) -> Bool) throws {
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let count = read(STDIN_FILENO, &buffer, size)
            let number = errno
            if count < 0, number == EINTR { continue }
            // A parent may have set the stream to non-blocking mode.
            if count < 0, number == EAGAIN {
                waitUntilReady(STDIN_FILENO, for: POLLIN)
                continue
            }
            // This error of a terminal means that it was hung up, which is the end of the input.
            if count < 0, number != EIO {
                throw CommandError.failed(
                    "\(FileError("read", "standard input", number: number)).", hint: "Pipe in what the command reads.")
            }
            guard count > 0, body(buffer[..<count]) else { return }
        }
    }

    /// Reads to the end and passes on each complete line; a last line without a line break counts.
    private static func readLines(upTo limit: Int, _ body: ([UInt8]) -> Void) throws {
        var line: [UInt8] = []
        try readPieces { piece in
            var rest = piece
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end].prefix(limit + 1 - line.count)
                body(line)
                line = []
                rest = rest[(end + 1)...]
            }
            line += rest.prefix(limit + 1 - line.count)
            return true
        }
        if !line.isEmpty { body(line) }
    }

    /// Reads one line with its line break and no further byte, because another process may read the rest.
    private static func readLine(upTo limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try readPieces(of: 1) { piece in
            bytes += piece
            return bytes.count < limit && bytes.last != UInt8(ascii: "\n")
        }
        return bytes
    }
}

/// A terminal without echo, until it is restored.
private final class SilentTerminal: Sendable {
    private let original: termios

    /// Turns off the echo; nil if standard input is not a terminal.
    init?() {
        var attributes = termios()
        guard tcgetattr(STDIN_FILENO, &attributes) == 0 else { return nil }
        original = attributes
        attributes.c_lflag &= ~tcflag_t(ECHO)
        // Ctrl-Z would return to the shell with the echo turned off.
        withUnsafeMutableBytes(of: &attributes.c_cc) { $0[Int(VSUSP)] = 0 }
        // Text typed before the prompt must not count as its input: TCSAFLUSH discards it.
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes) == 0 else { return nil }
    }

    func restore() {
        var attributes = original
        tcsetattr(STDIN_FILENO, TCSANOW, &attributes)
    }
}

extension Environment.Output {
    /// The process's standard output, unbuffered, so that a reader sees each line immediately.
    package static let standardOutput = Environment.Output(file: STDOUT_FILENO)

    /// The process's standard error, unbuffered.
    package static let standardError = Environment.Output(file: STDERR_FILENO)

    /// Ends the standard output for its reader, while the process continues.
    static func closeStandardOutput() {
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard null >= 0 else { return }
        // The descriptor stays occupied: no connection may become the standard output.
        dup2(null, STDOUT_FILENO)
        close(null)
    }

    /// The error of a standard output that is incomplete; nil if its reader has closed it.
    static var failureOfStandardOutput: CommandError? {
        let number = standardOutputFailure.withLock { $0 }
        guard ![0, EPIPE, ECONNRESET].contains(number) else { return nil }
        return .failed(
            "The output is incomplete: \(FileError("write", "standard output", number: number)).",
            hint: number == EBADF
                ? "The command was started without a standard output. To discard it: >/dev/null"
                : "Mend that, and run the command again.")
    }

    /// Forgets that earlier writes to standard output have failed.
    package static func forgetFailureOfStandardOutput() { standardOutputFailure.withLock { $0 = 0 } }

    /// The `errno` value of the first failure.
    private static let standardOutputFailure = Mutex<Int32>(0)

    /// Creates a stream over a descriptor; once its reader has closed it, writes have no effect.
    private init(file: Int32) {
        self.init(isTerminal: isatty(file) == 1, columns: { windowColumns(file) }) { (bytes: [UInt8]) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                // A parent may have set the stream to non-blocking mode.
                if count < 0, errno == EAGAIN {
                    waitUntilReady(file, for: POLLOUT)
                    continue
                }
                guard count > 0 else {
                    let number = errno
                    if count < 0, file == STDOUT_FILENO {
                        Self.standardOutputFailure.withLock { $0 = $0 == 0 ? number : $0 }
                    }
                    return
                }
                rest = rest.dropFirst(count)
            }
        }
    }
}

/// Opens the descriptors 0 to 2 if the process was started without them.
///
/// Otherwise a file or a connection would get one of them, and a token would be written into it.
///
/// Each is opened for the wrong direction, so that its first use is an error, as without a descriptor.
func openMissingStreams() {
    for (file, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
        guard fcntl(file, F_GETFD) < 0, errno == EBADF else { continue }
        // The lowest free number is this descriptor. If the system has no devices, a folder replaces /dev/null.
        if open("/dev/null", mode) < 0 { _ = open("/", O_RDONLY) }
    }
}

/// Ends the process immediately, without `atexit` handlers, which would race with other threads.
///
/// Nothing is lost: the streams are unbuffered, and durable data is already written.
package func endProcess(_ code: ExitCode) -> Never { _exit(code.rawValue) }

/// Waits until a non-blocking descriptor can be read (POLLIN) or written (POLLOUT), or has failed.
private func waitUntilReady(_ file: Int32, for events: Int32) {
    var entry = pollfd(fd: file, events: Int16(events), revents: 0)
    _ = poll(&entry, 1, -1)
}

/// Returns the columns of a terminal's window; nil if it does not know them.
private func windowColumns(_ file: Int32) -> Int? {
    var size = winsize()
    guard ioctl(file, windowSizeRequest, &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
}

/// Calls the system's `write`, which the method of the same name shadows.
private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, buffer, count)
}
