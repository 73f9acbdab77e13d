// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

extension URLSessionTransport.Configuration {
    /// Returns the user and the password of the proxy; nil if there are none.
    ///
    /// - Throws: `HTTPError.invalidURL` for a proxy over https, which these settings cannot name.
    func proxyCredentials() throws(HTTPError) -> HTTPProxy.Credentials? {
        guard proxy?.address?.scheme != "https" else {
            throw .invalidProxy("this system connects to none over https")
        }
        return proxy?.address?.credentials
    }

    /// The settings of a session: nil for those of the system, and an empty dictionary for no proxy.
    ///
    /// The names are those of CFNetwork's `kCFNetworkProxies` constants; some platforms declare only a part of them.
    var proxyDictionary: [AnyHashable: Any]? {
        guard let proxy else { return [:] }
        guard let address = proxy.address else { return nil }
        var settings: [AnyHashable: Any] = [:]
        for kind in address.scheme == "http" ? ["HTTP", "HTTPS"] : ["SOCKS"] {
            settings["\(kind)Enable"] = 1
            settings["\(kind)Proxy"] = address.host
            settings["\(kind)Port"] = address.port
        }
        let loopback = ["localhost", "*.localhost", "127.*", "[::1]", "::1"]
        settings["ExceptionsList"] = loopback + address.exceptions.flatMap { Self.names(of: $0.description) }
        return settings
    }

    /// Returns the names of a pattern in the system's form, which has an asterisk for all subdomains.
    private static func names(of pattern: String) -> [String] {
        pattern.utf8.first == 0x2E ? ["*\(pattern)", String(pattern.dropFirst())] : [pattern]
    }
}
#endif
