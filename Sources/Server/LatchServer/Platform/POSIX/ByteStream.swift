// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The byte stream of one connection, plain or encrypted by TLS.
///
/// No call blocks or raises a signal.
struct ByteStream {
    /// The result of one call; an error of the socket or of TLS ends the stream like any other end.
    enum IOResult {
        /// The number of bytes that were read or written; a write may accept only a part.
        case transferred(Int)
        /// The call would block; the edge-triggered poller reports when it no longer does.
        case wouldBlock
        /// The peer has closed the connection, or it is broken.
        case ended
    }

    /// The descriptor, which the connection closes once.
    let descriptor: Int32
    /// The TLS session; nil without TLS, and after writing has ended.
    private var session: TLSSession?

    init(_ descriptor: Int32, session: TLSSession?) {
        self.descriptor = descriptor
        self.session = session
    }

    /// Whether the socket carries TLS records, so that its raw bytes are not HTTP.
    var isEncrypted: Bool { session != nil }

    /// Whether TLS has negotiated HTTP/2 (RFC 9113 §3.2).
    var hasAgreedOnHTTP2: Bool { session?.hasAgreedOnHTTP2 ?? false }

    /// Sets what the handshake of TLS has shown about the client's certificate.
    func noteCertificate(in context: inout HTTPContext) {
        guard let session else { return }
        if let certificate = session.clientCertificate { context[ClientCertificateKey.self] = certificate }
        if session.hasRequestedCertificate { context[CertificateRequested.self] = true }
    }

    /// Reads the available bytes, up to the buffer's size; the first calls also perform the handshake.
    func read(into bytes: UnsafeMutableBufferPointer<UInt8>) -> IOResult {
        if let session { return session.read(into: bytes) }
        let result = retryingInterrupts { recv(descriptor, bytes.baseAddress, bytes.count, 0) }
        if case .transferred(0) = result { return .ended }
        return result
    }

    /// Writes as much as the socket accepts of two buffers, one after the other.
    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult {
        if let session { return session.write(first.isEmpty ? second : first) }
        if second.isEmpty {
            return retryingInterrupts { send(descriptor, first.baseAddress, first.count, SystemSocket.sendFlags) }
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
                return retryingInterrupts { sendmsg(descriptor, &message, SystemSocket.sendFlags) }
            }
        }
    }

    /// Repeats a system call that a signal interrupts.
    private func retryingInterrupts(_ call: () -> Int) -> IOResult {
        while true {
            let count = call()
            if count >= 0 { return .transferred(count) }
            if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .ended }
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

    /// Makes `close` reset the connection without a closure alert, so that the client sees an incomplete message.
    mutating func resetsAtClose() {
        session.take()?.end(withAlert: false)
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Ends TLS and closes the descriptor; may be called only once.
    mutating func close() {
        endSession()
        SystemSocket.close(descriptor)
    }

    /// Sends the TLS closure alert if that is possible without waiting (RFC 8446 §6.1).
    private mutating func endSession() {
        session.take()?.end(withAlert: true)
    }
}
