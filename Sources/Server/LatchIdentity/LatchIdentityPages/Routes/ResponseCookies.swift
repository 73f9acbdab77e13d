// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

extension HTTPResponse {
    /// Returns the response with a further Set-Cookie field, if any.
    ///
    /// Several cookies need several fields (RFC 6265 §3).
    package func setting(_ cookie: String?) -> HTTPResponse {
        guard let cookie else { return self }
        var response = self
        response.fields.append(cookie, for: .setCookie)
        return response
    }
}
