// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
/// The transport of this platform.
public enum Transport {
    /// The transport that clients use unless they are given another; they share its connections.
    public static let live: any Handler = URLSessionTransport()
}
#endif
