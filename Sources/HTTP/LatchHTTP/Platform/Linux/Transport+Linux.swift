// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The transport of this platform.
public enum Transport {
    /// The default transport of clients, whose connections they share.
    public static let live: any Handler = CurlTransport()

    /// Creates a transport that connects without a proxy, and only to permitted addresses.
    ///
    /// - Parameters:
    ///   - timeout: The maximum duration of a request, with the lookup of the name.
    ///   - permits: Returns whether a connection may be opened to an address, from its four or sixteen bytes.
    package static func connecting(
        within timeout: Duration, onlyTo permits: @escaping @Sendable (_ address: [UInt8]) -> Bool
    ) -> any Handler {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = nil
        (configuration.timeout, configuration.connectTimeout) = (timeout, timeout)
        configuration.maximumConnectionsPerHost = 4
        configuration.permitsAddress = permits
        return CurlTransport(configuration: configuration)
    }
}
#endif
