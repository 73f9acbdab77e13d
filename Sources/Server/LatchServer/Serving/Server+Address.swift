// SPDX-License-Identifier: Apache-2.0

extension Server {
    /// Where a server listens.
    public struct Address: Sendable, Hashable, CustomStringConvertible {
        /// `http` or `https`.
        public let scheme: String
        /// The address without brackets.
        public let host: String
        /// The port, also where the system chose it.
        public let port: Int

        /// The host, in brackets where it is an IPv6 address, and the port.
        public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

        /// `http://127.0.0.1:8080`, without a slash at the end.
        public var url: String { "\(scheme)://\(authority)" }

        /// The URL.
        public var description: String { url }
    }
}
