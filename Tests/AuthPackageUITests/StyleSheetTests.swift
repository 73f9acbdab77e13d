// SPDX-License-Identifier: Apache-2.0

import Expectations
import TestTags
import Testing

@testable import AuthPackageUI

@Suite struct StyleSheetTests {
    @Test(.tags(.screenLogic)) func `A style sheet has the defaults of the original`() {
        let style = AuthUIStyleSheet(css: "")
        expectEqual(style, AuthUIStyleSheet())
        expectEqual([style.cornerRadius, style.spacing, style.titleSize, style.bodySize], [12, 12, 28, 17])
        #expect(style.primaryColor == nil && style.fontFamily == nil)
    }

    @Test(.tags(.screenLogic)) func `A style sheet takes every variable`() {
        let style = AuthUIStyleSheet(
            css: """
                /* the brand; --authui-spacing: 1px; */
                :root {
                    --authui-primary-color: #0057B8; --authui-background-color:#ffffff80;
                    --authui-text-color: #000000;
                    --authui-accent-color: #FF0000;
                    --authui-corner-radius: 8px; --authui-spacing: 16; --authui-font-family: "Avenir Next", sans-serif;
                    --authui-title-size: 32.5px; --authui-body-size: 18px
                }
                """)
        expectEqual(style.primaryColor, AuthUIStyleSheet.Color(red: 0, green: 87 / 255, blue: 184 / 255))
        expectEqual(style.backgroundColor, AuthUIStyleSheet.Color(red: 1, green: 1, blue: 1, alpha: 128 / 255))
        expectEqual(style.textColor, AuthUIStyleSheet.Color(red: 0, green: 0, blue: 0))
        expectEqual(style.accentColor, AuthUIStyleSheet.Color(red: 1, green: 0, blue: 0))
        expectEqual([style.cornerRadius, style.spacing, style.titleSize, style.bodySize], [8, 16, 32.5, 18])
        expectEqual(style.fontFamily, "Avenir Next")
    }

    @Test(
        .tags(.screenLogic),
        arguments: [
            "--authui-primary-color: blue", "--authui-primary-color: #12345", "--authui-primary-color: #12345G",
            "--authui-primary-color", "--authui-spacing: -1px", "--authui-spacing: wide", "--authui-spacing: 1e400",
            "--authui-spacing: nan", "--authui-spacing: 2em", "--authui-colour: #123456", "authui-spacing: 4px",
            "/* --authui-spacing: 4px", "--authui-font-family: \"\"", "{}};;:::--", "\u{0}",
        ])
    func `A style sheet keeps a default if a variable has another form`(css: String) {
        expectEqual(AuthUIStyleSheet(css: css), AuthUIStyleSheet())
    }

    @Test(.tags(.screenLogic)) func `A style sheet takes the last of two values, and the last valid one`() {
        expectEqual(AuthUIStyleSheet(css: "--authui-spacing: 4px; --authui-spacing: 8px").spacing, 8)
        expectEqual(AuthUIStyleSheet(css: "--authui-spacing: 4px; --authui-spacing: wide").spacing, 4)
    }

    @Test(.tags(.screenLogic))
    func `A style sheet has the primary color on buttons and the accent on badges, each in place of the other`() {
        let both = AuthUIStyleSheet(css: "--authui-primary-color: #0057B8; --authui-accent-color: #FF0000")
        expectEqual(both.buttonColor, AuthUIStyleSheet.Color(hex: "#0057B8"))
        expectEqual(both.badgeColor, AuthUIStyleSheet.Color(hex: "#FF0000"))
        let accent = AuthUIStyleSheet(css: "--authui-accent-color: #FF0000")
        #expect(accent.buttonColor == accent.accentColor && accent.badgeColor == accent.accentColor)
        let primary = AuthUIStyleSheet(css: "--authui-primary-color: #0057B8")
        #expect(primary.buttonColor == primary.primaryColor && primary.badgeColor == primary.primaryColor)
        #expect(AuthUIStyleSheet().buttonColor == nil && AuthUIStyleSheet().badgeColor == nil)
    }

    @Test(
        .tags(.screenLogic), arguments: ["#0057B8", "#FFCC00", "#000000", "#FFFFFF", "#808080", "#FF0000", "#34C759"])
    func `A style sheet writes on its colors with a contrast of at least 4.5 to 1`(hex: String) throws {
        let color = try #require(AuthUIStyleSheet.Color(hex: hex))
        #expect(color.contrast(to: color.contrasting) >= 4.5)
    }
}
