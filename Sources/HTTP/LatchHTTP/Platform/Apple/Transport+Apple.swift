// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
/// The transport of this platform.
public enum Transport {
    /// The default transport of clients, whose connections they share.
    public static let live: any Handler = URLSessionTransport()
}
#endif
