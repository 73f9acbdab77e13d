// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import Testing

/// The examples of RFC 9449 itself.
@Suite struct DPoPVectorTests {
    /// §4.1, figure 1, without the line breaks.
    static let tokenRequest = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0Rsc\
        EJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In\
        19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIi\
        wiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3\
        Lg
        """

    /// §7.1, figure 12.
    static let resourceRequest = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0Rsc\
        EJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In\
        19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZW\
        N0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ\
        9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA
        """

    static let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"

    /// §6.1, figure 9.
    static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private func verifier(at seconds: Double) -> DPoPVerifier {
        DPoPVerifier(clock: .standing(at: seconds), memory: { _, _ in true })
    }

    @Test func `The proofs of RFC 9449 prove a request to a token endpoint`() throws {
        let request = HTTPRequest(
            method: .post, authority: "server.example.com", path: "/token", fields: ["DPoP": Self.tokenRequest])
        let proof = try verifier(at: 1_562_262_616).verify(request)
        expectEqual(proof.id, "-BwC3ESc6acc2lTc")
        expectEqual(proof.method, .post)
        expectEqual(proof.target, "https://server.example.com/token")
        expectEqual(proof.issued, Date(timeIntervalSince1970: 1_562_262_616))
        expectNil(proof.accessTokenHash)
        expectNil(proof.nonce)
        expectEqual(proof.thumbprint, Self.thumbprint)
    }

    @Test
    func `The proofs of RFC 9449 prove a request to a resource, with the token that is bound to the key`() throws {
        let request = HTTPRequest(
            authority: "resource.example.org", path: "/protectedresource", fields: ["DPoP": Self.resourceRequest])
        let verifier = verifier(at: 1_562_262_618)
        let proof = try verifier.verify(request, accessToken: Self.token, boundTo: Self.thumbprint)
        expectEqual(proof.accessTokenHash, "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(throws: AuthError.refusedProof) {
            try verifier.verify(request, accessToken: Self.token, boundTo: Self.thumbprint)
        }
    }

    @Test func `The proofs of RFC 9449 are accepted in one spelling only: no character can be another one`() throws {
        let verifier = verifier(at: 1_562_262_616)
        let bytes = Array(Self.tokenRequest.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let request = HTTPRequest(
                method: .post, authority: "server.example.com", path: "/token",
                fields: ["DPoP": String(decoding: changed, as: UTF8.self)])
            #expect(throws: AuthError.refusedProof) { try verifier.verify(request) }
        }
    }

    @Test func `The proofs of RFC 9449 have the thumbprint of their key`() throws {
        let header = try JWT(unverified: Self.tokenRequest).header
        let key = try Key(jwk: try #require(header.members["jwk"]?.objectValue))
        expectEqual(key.thumbprint, Self.thumbprint)
        expectEqual(header.members["typ"], "dpop+jwt")
    }
}
