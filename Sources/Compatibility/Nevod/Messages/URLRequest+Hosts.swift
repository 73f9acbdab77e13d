// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP

extension URLRequest {
    /// Whether the request goes to exactly this host, over https or on this machine.
    ///
    /// Use it for `shouldAuthenticate`: `host.contains("api.example.com")` is true for `api.example.com.evil.net` too.
    public func isTo(host: String) -> Bool { isIn(.host(host)) }

    /// Whether the request goes to this domain or below it, over https or on this machine.
    ///
    /// `example.com` and `api.example.com` are in `example.com`; `badexample.com` is not.
    public func isTo(domain: String) -> Bool { isIn(.subdomains(of: domain)) }

    private func isIn(_ scope: CredentialScope) -> Bool {
        url.flatMap(HTTPOrigin.init).map(scope.allows) ?? false
    }
}
