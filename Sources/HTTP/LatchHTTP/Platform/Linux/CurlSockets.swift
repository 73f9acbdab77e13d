// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim
import Glibc

// The callbacks of libcurl for the beginning and the end of a socket, on the driver's thread.
extension CurlLoop {
    /// Opens sockets for libcurl, so that `sockets` tracks each one from its beginning to its end.
    static let onOpen: curl_opensocket_callback = { context, _, address in
        guard let address, let context else { return CURL_SOCKET_BAD }
        let (target, transfer) = (address.pointee, CurlTransfer.of(context))
        guard transfer.permits(address) else { return CURL_SOCKET_BAD }
        let type = target.socktype | CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(target.family, type, target.protocol)
        let number = errno
        transfer.hasNoDescriptor = socket < 0 && DescriptorLimit.isReached(number)
        guard socket >= 0, let pointer = transfer.loop else { return socket }
        let loop = CurlLoop.of(pointer)
        (transfer.peerPort, transfer.isConnected) = (latch_curl_port(address), false)
        // Keep-alive probes are not sent while the peer has not acknowledged earlier data. With this limit, such a
        // silence ends the connection after two minutes, too, instead of a quarter of an hour.
        var limit: CUnsignedInt = 120_000
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
        loop.sockets.opened(socket, speaksHTTP1: !transfer.isEncrypted && !transfer.assumesHTTP2)
        if losesBufferedData, transfer.wantsHTTP2 { loop.sockets.cork(socket) }
        return socket
    }

    /// Closes a socket and removes it from the table, since the kernel reuses its number.
    static let onClose: curl_closesocket_callback = { context, socket in
        let loop = context.map(CurlLoop.of)
        loop?.sockets.closed(socket)
        for transfer in loop?.idleTimed ?? [] where transfer.socket == socket { transfer.socket = nil }
        return Glibc.close(socket)
    }
}

extension CurlTransfer {
    /// Returns whether a connection may be opened to an address that libcurl is about to use.
    ///
    /// libcurl passes the very address that it connects to, after it has resolved the name. So a name server that
    /// changes its answer gains nothing, and a name with several addresses is only reached at permitted ones.
    fileprivate func permits(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        guard let permitsAddress = configuration.permitsAddress else { return true }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = Int(latch_curl_address(address, &bytes))
        guard count > 0, permitsAddress(Array(bytes.prefix(count))) else {
            hasRefusedAddress = true
            return false
        }
        return true
    }

    /// Whether the host has addresses, and no connection could be opened to one that is permitted.
    var isOutOfBounds: Bool {
        // The code for a refused socket depends on the version of libcurl.
        hasRefusedAddress && [CURLE_COULDNT_CONNECT, CURLE_ABORTED_BY_CALLBACK].contains { $0 == outcome }
    }
}
#endif
