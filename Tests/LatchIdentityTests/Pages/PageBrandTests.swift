// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchSignIn
import LatchTesting
import LatchTexts
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PageBrandTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]

    private func image(_ bytes: [UInt8]) async throws -> PageImage {
        try await withTemporaryFolder { folder in
            let file = "\(folder)/image"
            try Data(bytes).write(to: URL(filePath: file))
            return try PageImage(file: file)
        }
    }

    private func policy(_ page: Response) -> String { page.field("Content-Security-Policy") ?? "" }

    @Test func `A page has the logo, the icon, the colors and the links of the service`() async throws {
        let logo = try await image(Self.png)
        let site = try await Site {
            $0.issuer = "https://example.com/auth"
            $0.serviceName = "Acme"
            $0.logo = logo
            $0.accentColor = "#7a1fa2"
            $0.backgroundColor = "#ffeecc"
            $0.supportURL = "mailto:help@example.com"
            $0.termsURL = "https://example.com/terms?a=1&b"
        }
        let page = try await site.get("/forgot")
        #expect(page.text.contains(#"<img class="logo" src="/auth/logo" alt="Acme">"#))
        #expect(page.text.contains(#"<link rel="icon" href="/auth/favicon.ico">"#))
        #expect(page.text.contains("--accent:#7a1fa2;") && page.text.contains("--back:#ffeecc;"))
        #expect(page.text.contains(#"<a href="mailto:help@example.com">Help</a>"#))
        #expect(page.text.contains(#"<a href="https://example.com/terms?a=1&amp;b">Terms of use</a>"#))
        #expect(policy(page).contains("img-src 'self';"))
        for path in ["/logo", "/favicon.ico"] {
            let image = try await site.get(path)
            #expect(image.status == 200 && image.field(.contentType) == "image/png")
            expectEqual(image.response.body.bytes, Self.png)
            #expect(policy(image).contains("sandbox") && image.field("X-Content-Type-Options") == "nosniff")
        }
        await site.close()
    }

    @Test func `A page without a logo has the first letter of the service as its icon`() async throws {
        let site = try await Site { $0.serviceName = "<b>" }
        try await expectEqual(site.get("/logo").status, 404)
        let icon = try await site.get("/favicon.ico")
        #expect(icon.field(.contentType) == "image/svg+xml" && icon.text.contains(">&lt;</text>"))
        let page = try await site.get("/forgot")
        #expect(!page.text.contains("<img") && page.text.contains(#"<link rel="icon" href="/favicon.ico">"#))
        await site.close()
    }

    @Test(
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), (Array("RIFF    WEBPVP8 ".utf8), "image/webp"),
            ([0, 0, 1, 0, 1], "image/x-icon"),
            (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "image/svg+xml"),
            (Array("\u{FEFF}<?xml version='1.0'?>\n<!-- a -->\n<svg/>".utf8), "image/svg+xml"),
        ] as [([UInt8], String)])
    func `An image is known by its first bytes`(bytes: [UInt8], type: String) async throws {
        try await expectEqual(image(bytes).mediaType, type)
    }

    @Test(arguments: [[], Array("<html><script>1</script></html>".utf8), Array("GIF89a<svg".utf8), [0x89, 0x50]])
    func `A file that is no image is refused with the key of its setting`(bytes: [UInt8]) async {
        let error = await #expect(throws: IdentityError.self) { try await image(bytes) }
        #expect(error == .invalidSetting && error?.message.contains("logo_file") == true)
    }

    @Test func `An image of more than 256 KiB is refused`() async {
        await #expect(throws: IdentityError.invalidSetting) {
            try await image(Self.png + Array(repeating: 0, count: 256 << 10))
        }
    }

    @Test func `The contrast of colors is that of WCAG`() throws {
        let color = { (text: String) in try #require(PageColor(text)) }
        // The ratios of WCAG's own examples, to two digits.
        let known = [("#000000", 21.0), ("#ffffff", 1.0), ("#767676", 4.54), ("#777777", 4.48), ("#ff0000", 4.0)]
        for (text, ratio) in known {
            try #expect(abs(color(text).contrast(to: .white) - ratio) < 0.005, "\(text)")
        }
    }

    @Test(arguments: ["#000000", "#2456c9", "#7a1fa2", "#0b6b2d", "#b00020", "#767676"])
    func `Each accent color can be read as text and under text, in the light and in the dark`(accent: String) throws {
        let color: PageColor = try #require(PageColor(accent))
        let sheet = PageStyle(accent: color, background: PageColor("#ffcc00")).sheet
        let colors = sheet.matches(of: /--accent:(#[0-9a-f]{6})/).map { String($0.1) }
        expectEqual(colors.first, accent)
        let cards = [PageColor.white, try #require(PageColor("#1d2026"))]
        for (color, card) in zip(colors, cards) {
            try #expect(#require(PageColor(color)).contrast(to: card) >= 4.5, "\(color)")
        }
        let backgrounds = try sheet.matches(of: /--back:(#[0-9a-f]{6})/).map { try #require(PageColor(String($0.1))) }
        #expect(backgrounds.count == 2 && backgrounds[1].luminance <= 0.012)
    }

    @Test func `An accent color without contrast is refused with one that has it`() throws {
        var configuration = IdentityConfiguration()
        let setting = try #require(IdentityConfiguration.settings.first { $0.key == "accent_color" })
        let error = #expect(throws: SettingProblem.self) { try setting.apply("#ffcc00", &configuration) }
        let offered = "\(try #require(error))".firstMatch(of: /#[0-9a-f]{6}/).map { String($0.0) }
        try setting.apply(#require(offered), &configuration)
    }
}
