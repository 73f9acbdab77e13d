// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CTLSShim
import Glibc

/// The bytes of one connection, in the clear or inside TLS.
///
/// Nothing here blocks or raises a signal.
struct ByteStream {
    enum Outcome {
        case moved(Int)
        case wouldBlock
        case ended
    }

    let descriptor: Int32
    private var session: UnsafeMutableRawPointer?

    init(_ descriptor: Int32, session: UnsafeMutableRawPointer?) {
        self.descriptor = descriptor
        self.session = session
    }

    var isEncrypted: Bool { session != nil }

    func read(into bytes: UnsafeMutableBufferPointer<UInt8>) -> Outcome {
        if let session { return outcome(latch_tls_read(session, bytes.baseAddress, bytes.count)) }
        let outcome = moved { recv(descriptor, bytes.baseAddress, bytes.count, 0) }
        if case .moved(0) = outcome { return .ended }
        return outcome
    }

    /// Writes what it can of two runs of bytes, the second behind the first.
    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Outcome {
        if let session {
            let bytes = first.isEmpty ? second : first
            return outcome(latch_tls_write(session, bytes.baseAddress, bytes.count))
        }
        if second.isEmpty { return moved { send(descriptor, first.baseAddress, first.count, Int32(MSG_NOSIGNAL)) } }
        var parts = (
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
        )
        return withUnsafeMutablePointer(to: &parts) { parts in
            parts.withMemoryRebound(to: iovec.self, capacity: 2) { vectors in
                var message = msghdr()
                message.msg_iov = vectors
                message.msg_iovlen = 2
                return moved { sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)) }
            }
        }
    }

    /// Calls the system until no signal interrupts it.
    private func moved(_ call: () -> Int) -> Outcome {
        while true {
            let count = call()
            if count >= 0 { return .moved(count) }
            if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .ended }
        }
    }

    private func outcome(_ count: Int) -> Outcome {
        switch count {
        case 1...: .moved(count)
        case Int(latch_tls_would_block): .wouldBlock
        default: .ended
        }
    }

    /// Whether the client has closed its end and left nothing to read.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Says that nothing more will be written; what is read afterwards are the raw bytes, which only get dropped.
    mutating func endWriting() {
        endSession()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    mutating func close() {
        endSession()
        Glibc.close(descriptor)
    }

    private mutating func endSession() {
        guard let session else { return }
        latch_tls_session_free(session)
        self.session = nil
    }
}

#endif
