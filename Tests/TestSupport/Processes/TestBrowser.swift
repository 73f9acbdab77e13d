// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchHTTP

/// A headless Chromium that signs in at the pages of OpenID providers; it ends with the last reference to it.
///
/// It goes through one visit after another, so that several tests can share it under profiles of their own.
public final class TestBrowser: Sendable {
    /// A visit to a provider, which ends at the first address that begins with `until`.
    public struct Visit: Encodable, Sendable {
        var open: URL
        var provider: OpenIDProvider.Name
        var until: String?
        var user: String?
        var password: String?
        var profile = "default"
        var new = false
        var deny = false

        /// Describes a visit.
        ///
        /// - Parameters:
        ///   - until: The beginning of the address to wait for; nil for the first page with nothing to do.
        ///   - user: The account to sign in with; nil to stop at a login page.
        ///   - profile: The name of the cookies to use.
        ///   - isNew: Whether the profile begins without cookies.
        ///   - denies: Whether consent is refused.
        public init(
            _ url: URL, at provider: OpenIDProvider.Name, until: String?, as user: OpenIDProvider.Facts.User? = nil,
            profile: String = "default", isNew: Bool = false, denies: Bool = false
        ) {
            (open, self.provider, self.until, self.profile) = (url, provider, until, profile)
            (self.user, password, new, deny) = (user?.name, user?.password, isNew, denies)
        }
    }

    /// The end of a visit.
    public struct Page: Decodable, Sendable {
        /// The reason why the visit did not reach its address; nil when it did.
        public let error: String?
        public let url: String?
        public let title, text: String?
        /// The pages on the way, such as `login` and `consent`.
        public let steps: [String]?
        /// The content of the authorization response, where the provider posted it.
        public let body: String?
    }

    private struct Address: Decodable { let port: Int }
    private let process: PeerProgram
    private let client: Client

    /// Starts the `browser` peer, which listens on a port of this machine.
    public static func start() async throws -> TestBrowser {
        let process = try await PeerProgram.start("browser", ["--serve"])
        let port = try JSONDecoder().decode(Address.self, from: process.firstLine).port
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw ServedLatch.Failure(description: "the browser has the port \(port)")
        }
        return TestBrowser(process: process, client: Client(baseURL: url))
    }

    private init(process: PeerProgram, client: Client) {
        self.process = process
        self.client = client
    }

    /// Goes through the pages of a provider.
    public func go(_ visit: Visit) async throws -> Page {
        try await client.perform(.post("visit", json: visit, as: Page.self))
    }
}
