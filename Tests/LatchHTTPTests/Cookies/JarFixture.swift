// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchHTTP
import LatchTesting

/// A jar with a clock of its own, a register of three suffixes, and words for what servers and clients do with it.
struct JarFixture {
    let clock = ManualClock()
    let jar: CookieJar

    static let suffixes = PublicSuffixList { ["com", "example", "co.uk", "github.io"].contains($0) }

    init(_ policy: CookiePolicy = CookiePolicy(publicSuffixes: suffixes)) {
        jar = CookieJar(policy: policy, clock: clock.wallClock())
    }

    func request(_ url: String, method: HTTPMethod = .get, from site: RequestSite = .sameSite) throws -> HTTPRequest {
        var request = try HTTPRequest(method: method, url: URL(string: url) ?? URL(filePath: "/"))
        request.site = site
        return request
    }

    /// Lets the server at `url` answer with these Set-Cookie fields.
    func set(_ cookies: String..., at url: String, from site: RequestSite = .sameSite) throws {
        var response = HTTPResponse(status: .ok)
        for cookie in cookies { response.fields.append(cookie, for: .setCookie) }
        jar.receive(response, to: try request(url, from: site))
    }

    /// Returns the cookies that a request to `url` carries.
    func sent(to url: String, method: HTTPMethod = .get, from site: RequestSite = .sameSite) throws -> [String] {
        jar.cookies(for: try request(url, method: method, from: site)).map { "\($0.name)=\($0.value)" }
    }
}
