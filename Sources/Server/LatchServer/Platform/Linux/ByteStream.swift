// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CTLSShim
import Glibc

/// The bytes of one connection, in the clear or inside TLS.
///
/// Nothing here blocks or raises a signal.
struct ByteStream {
    /// What came of one attempt; errors of the socket and of TLS are an end like any other.
    enum Outcome {
        /// This many bytes; for a write it may be fewer than there were.
        case moved(Int)
        /// Nothing now: epoll reports when it is worth trying again (edge-triggered, so not before this was seen).
        case wouldBlock
        /// The other side has closed, or the connection is broken.
        case ended
    }

    /// Owned by this value's connection, which closes it once.
    let descriptor: Int32
    /// libssl's state of the connection; nil in the clear, and after writing has ended.
    private var session: UnsafeMutableRawPointer?

    init(_ descriptor: Int32, session: UnsafeMutableRawPointer?) {
        self.descriptor = descriptor
        self.session = session
    }

    /// Whether bytes on the socket are not the bytes of HTTP; a peek at the socket then says nothing.
    var isEncrypted: Bool { session != nil }

    /// Takes what is there, up to the buffer's size; the first calls also do the handshake.
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

    /// What the shim's result means; it has no errno.
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

    /// Lets `close` break the connection off: what the client has read is seen to be no whole message.
    func resetsAtClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Ends TLS where it had begun, and gives the descriptor back; not to be called twice.
    mutating func close() {
        endSession()
        Glibc.close(descriptor)
    }

    /// Says goodbye in TLS as far as that works without waiting (RFC 8446 §6.1).
    private mutating func endSession() {
        guard let session else { return }
        latch_tls_session_free(session)
        self.session = nil
    }
}

#endif
