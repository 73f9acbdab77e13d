// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CTLSShim
import Glibc

/// The byte stream of one connection, plain or encrypted by TLS.
///
/// No call blocks or raises a signal.
struct ByteStream {
    /// The result of one call; an error of the socket or of TLS ends the stream like any other end.
    enum IOResult {
        /// This many bytes were read or written; a write may accept fewer than it was given.
        case transferred(Int)
        /// The call would block; epoll, which is edge-triggered, reports when it no longer does.
        case wouldBlock
        /// The peer has closed the connection, or it is broken.
        case ended
    }

    /// The descriptor, which the connection closes once.
    let descriptor: Int32
    /// The libssl session; nil without TLS, and after writing has ended.
    private var session: UnsafeMutableRawPointer?

    init(_ descriptor: Int32, session: UnsafeMutableRawPointer?) {
        self.descriptor = descriptor
        self.session = session
    }

    /// Whether the socket carries TLS records, so that peeking at it reveals no HTTP.
    var isEncrypted: Bool { session != nil }

    /// Reads the available bytes, up to the buffer's size; the first calls also perform the handshake.
    func read(into bytes: UnsafeMutableBufferPointer<UInt8>) -> IOResult {
        if let session { return result(latch_tls_read(session, bytes.baseAddress, bytes.count)) }
        let result = retryingInterrupts { recv(descriptor, bytes.baseAddress, bytes.count, 0) }
        if case .transferred(0) = result { return .ended }
        return result
    }

    /// Writes as much as the socket accepts of two buffers, the second after the first.
    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult {
        if let session {
            let bytes = first.isEmpty ? second : first
            return result(latch_tls_write(session, bytes.baseAddress, bytes.count))
        }
        if second.isEmpty {
            return retryingInterrupts { send(descriptor, first.baseAddress, first.count, Int32(MSG_NOSIGNAL)) }
        }
        var parts = (
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
        )
        return withUnsafeMutablePointer(to: &parts) { parts in
            parts.withMemoryRebound(to: iovec.self, capacity: 2) { vectors in
                var message = msghdr()
                message.msg_iov = vectors
                message.msg_iovlen = 2
                return retryingInterrupts { sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)) }
            }
        }
    }

    /// Repeats a system call until no signal interrupts it.
    private func retryingInterrupts(_ call: () -> Int) -> IOResult {
        while true {
            let count = call()
            if count >= 0 { return .transferred(count) }
            if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .ended }
        }
    }

    /// Converts the result of the TLS shim, which sets no errno.
    private func result(_ count: Int) -> IOResult {
        switch count {
        case 1...: .transferred(count)
        case Int(latch_tls_would_block): .wouldBlock
        default: .ended
        }
    }

    /// Whether the client has closed its side and nothing is left to read.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Ends the writing side; later reads return raw bytes, which are only dropped.
    mutating func endWriting() {
        endSession()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes `close` reset the connection, so that the client sees that the message is incomplete.
    func resetsAtClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Ends TLS and closes the descriptor; not to be called twice.
    mutating func close() {
        endSession()
        Glibc.close(descriptor)
    }

    /// Sends the TLS closure alert as far as that works without waiting (RFC 8446 §6.1).
    private mutating func endSession() {
        guard let session else { return }
        latch_tls_session_free(session)
        self.session = nil
    }
}

#endif
