// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchIdentityStorage

/// The clients whose ID is the URL of a document about them (draft-ietf-oauth-client-id-metadata-document).
///
/// Such a client needs no registration. The owner of the host decides what the document says, so it is a client that
/// registers itself.
package struct ClientDocuments: Sendable {
    private let documents: PublicDocuments
    private let rules: ClientMetadataRules

    /// Creates the clients.
    ///
    /// - Parameter rules: The limits of what a document says.
    package init(documents: PublicDocuments, rules: ClientMetadataRules) {
        (self.documents, self.rules) = (documents, rules)
    }

    /// Creates the clients of a configuration; nil if it takes none.
    package init?(
        _ configuration: IdentityConfiguration, _ policy: ScopePolicy, transport: PublicTransport, clock: WallClock
    ) {
        guard configuration.takesClientDocuments else { return nil }
        self.init(
            documents: PublicDocuments(transport: transport, clock: clock),
            rules: .document(
                policy, permitting: configuration.registrationScopes,
                certificateMethods: configuration.certificateMethods))
    }

    /// The maximum size of an ID in bytes.
    private static let longestID = 250

    /// Returns whether a text is the ID of such a client (§3): an https URL with a path, in one spelling.
    ///
    /// Dot segments would name the document of another path, also in percent-encoding (RFC 3986 §6.2.2.3).
    package static func isID(_ text: String) -> Bool {
        guard text.utf8.count <= longestID, AppRedirect.isClaimed(text), PublicURL.isLink(text),
            !text.utf8.contains(UInt8(ascii: "#"))
        else { return false }
        let rest = text.utf8.dropFirst("https://".utf8.count).prefix { $0 != UInt8(ascii: "?") }
        let segments = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        return !segments.isEmpty
            && segments.allSatisfy { segment in
                let name = String(Substring(segment)).lowercasedASCII()
                return ![".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"].contains(name)
            }
    }

    /// Returns a client from its document, which is fetched if none is cached.
    ///
    /// - Throws: `IdentityError.unusableDocument`, `.cancelled`.
    package func client(_ id: String) async throws(IdentityError) -> OAuthClient {
        do {
            guard Self.isID(id) else { throw DocumentError.url }
            let document = try await documents.document(at: id)
            // §4: compared as strings, or a host with several names could present one client as another.
            guard let name = document["client_id"]?.stringValue, name.utf8.elementsEqual(id.utf8) else {
                throw DocumentError.content("names another 'client_id' than its URL")
            }
            return try OAuthClient(id: id, metadata: document, rules: rules)
        } catch let error as DocumentError {
            throw .unusableDocument("it \(error.reason)")
        } catch let error as ClientMetadataError {
            throw .unusableDocument(error.description)
        } catch {
            throw .cancelled
        }
    }
}
