// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
/// The transport of this platform.
public enum Transport {
    /// The default transport of clients, whose connections they share.
    public static let live: any Handler = URLSessionTransport()

    /// Creates a transport that refuses each request: the system connects without showing the address first.
    package static func connecting(
        within timeout: Duration, onlyTo permits: @escaping @Sendable (_ address: [UInt8]) -> Bool
    ) -> any Handler {
        ClosureHandler { request in throw HTTPError.forbiddenAddress(of: request.authority) }
    }
}
#endif
