// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchSignIn
import Testing

@testable import latch

@Suite struct QRCodeTests {
    private static let text = QRCode("https://id.example.com/device?user_code=WDJB-MJHT").map(QRCodeText.lines)

    // ISO/IEC 18004 §5.3: 17 modules and 4 for each version, with a pattern to find it by in three corners.
    @Test(.enabled(if: text != nil, "libqrencode4 is not installed"))
    func `A QR code of a URL is a square of a standard size, with a pattern in three corners`() throws {
        let lines = try #require(Self.text).split(separator: "\n").map { line in
            String(line.dropFirst("  \u{1B}[30;107m".count).dropLast("\u{1B}[0m".count))
        }
        let width = lines[0].count - 4
        #expect(width > 21 && (width - 17).isMultiple(of: 4))
        #expect(lines.allSatisfy { $0.count == width + 4 } && lines.count == (width + 5) / 2)
        let (blank, top, bottom) = (lines[0], lines[1], lines[lines.count - 2])
        #expect(blank.allSatisfy { $0 == " " })
        #expect(top.hasPrefix("  █▀▀▀▀▀█ ") && top.hasSuffix(" █▀▀▀▀▀█  "))
        #expect(bottom.hasPrefix("  ▀▀▀▀▀▀▀ ") && !bottom.hasSuffix("▀▀▀▀▀▀▀  "))
    }
}

#endif
