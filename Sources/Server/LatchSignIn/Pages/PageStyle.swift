// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto

/// The style sheet of the pages, inline and allowed by its digest.
package struct PageStyle: Sendable {
    /// The style sheet, which follows the user's choice of light or dark.
    package let sheet: String
    /// The source expression that allows only this sheet (Content Security Policy Level 3 §2.3.1).
    package let source: String

    /// The contrast of text to its background (WCAG 2.2 §1.4.3).
    package static let textContrast = 4.5
    /// The style without colors of a service.
    package static let standard = PageStyle()

    /// The color of buttons and links in the light.
    package static let accent = "#2456c9"

    /// Creates a style.
    ///
    /// - Parameters:
    ///   - accent: The color of buttons and links, which has ``textContrast`` to white. In the dark it is lighter.
    ///   - background: The color around the page, on which no text is. In the dark it is darker.
    package init(accent: PageColor? = nil, background: PageColor? = nil) {
        let dim = 0.012
        let dark = background?.mixed(with: .black) { $0.luminance <= dim }
        sheet =
            Self.colors(
                accent: accent?.text ?? Self.accent, darkAccent: Self.dark(accent?.text ?? Self.accent),
                background: background?.text ?? "#f4f5f7", darkBackground: dark?.text ?? "#14161a") + Self.rules
        source = "'sha256-\(Base64Alphabet.standard.encodePadded(Array(SHA256.hash(data: Array(sheet.utf8)))))'"
    }

    /// Returns an accent color of the light for the dark, where it is lighter.
    package static func dark(_ accent: String) -> String {
        guard accent != Self.accent, let color = PageColor(accent) else { return "#7ea6ff" }
        let card = PageColor("#1d2026") ?? .black
        return color.mixed(with: .white) { $0.contrast(to: card) >= textContrast }.text
    }

    private static func colors(accent: String, darkAccent: String, background: String, darkBackground: String) -> String
    {
        """
        :root{color-scheme:light dark;--ink:#1d2129;--soft:#5b6472;--back:\(background);--card:#fff;--line:#d5d9e0;\
        --edge:#7b8494;--accent:\(accent);--wrong:#b3261e}
        @media(prefers-color-scheme:dark){:root{--ink:#e8eaee;--soft:#a3abb8;--back:\(darkBackground);--card:#1d2026;\
        --line:#3a404b;--edge:#848d9b;--accent:\(darkAccent);--wrong:#ff8a80}}

        """
    }

    private static let rules = """
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;background:var(--back);\
        color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
        main{width:100%;max-width:25rem;padding:2rem;background:var(--card);border:1px solid var(--line);\
        border-radius:.75rem}
        h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.25}
        p{margin:0 0 1.25rem;color:var(--soft);overflow-wrap:anywhere}
        p:last-child{margin:0}
        ul{margin:0 0 1.25rem;padding-inline-start:1.25rem}
        li,h1,p{overflow-wrap:anywhere}
        .brand{margin:0 0 1rem;font-weight:600}
        .logo{display:block;max-width:100%;max-height:3rem;margin:0 0 1rem}
        .wrong{color:var(--wrong)}
        .hint{margin:-.25rem 0 .375rem;font-size:.875rem}
        label{display:block;margin-bottom:.375rem;font-weight:600}
        input{width:100%;margin-bottom:1.25rem;padding:.625rem .75rem;font:inherit;color:inherit;\
        background:transparent;border:1px solid var(--edge);border-radius:.5rem}
        .box{display:flex;gap:.625rem;align-items:baseline;margin-bottom:1.25rem;font-weight:400}
        .box input{width:auto;margin:0}
        [hidden]{display:none}
        [aria-invalid]{border-color:var(--wrong)}
        .code{font-family:ui-monospace,monospace;letter-spacing:.1em;text-transform:uppercase}
        button{width:100%;padding:.6875rem;font:inherit;font-weight:600;color:var(--card);background:var(--accent);\
        border:1px solid transparent;border-radius:.5rem;cursor:pointer}
        .button{display:block;padding:.6875rem;border:1px solid transparent;font-weight:600;text-align:center;text-decoration:none;color:var(--card);\
        background:var(--accent);border-radius:.5rem}
        form+p{margin:.75rem 0 0}
        form+p .button{color:inherit;background:transparent;border:1px solid var(--edge)}
        .search{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:end}
        .search label,.search input,.search select{flex:1 1 100%;margin:0}
        select,textarea{width:100%;margin-bottom:1.25rem;padding:.625rem .75rem;font:inherit;color:inherit;background:var(--card);\
        border:1px solid var(--edge);border-radius:.5rem}
        :disabled{opacity:.6;cursor:default}
        .second+.wrong{margin:.75rem 0 0}
        .second{margin-top:.75rem;color:inherit;background:transparent;border:1px solid var(--edge)}
        .quiet{width:auto;display:block;margin-top:.75rem;padding:.375rem 0;font-weight:400;text-decoration:underline;\
        color:var(--accent);background:transparent;border:0}
        .links{margin:1.25rem 0 0;padding:0;list-style:none}
        .links a{display:inline-block;padding:.375rem 0;color:var(--accent)}
        .wide{max-width:42rem}
        .wide .second{width:auto;padding:.6875rem 1.25rem}
        h2{margin:1.75rem 0 .5rem;font-size:1.0625rem}
        .entries{margin:0;padding:0;list-style:none;border-top:1px solid var(--line)}
        .entries li{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between;\
        padding:.75rem 0;border-bottom:1px solid var(--line)}
        .entries div{flex:1 1 14rem;min-width:0}
        .entries button{width:auto;margin:0;padding:.375rem .875rem;font-size:.875rem}
        .entries a{color:var(--accent)}
        .detail{display:block;font-size:.875rem;color:var(--soft)}
        .codes{padding:0;list-style:none}
        .codes code{font:1.125rem/1.75 ui-monospace,monospace;color:var(--ink)}
        .qr{display:block;width:100%;max-width:14rem;margin:0 0 1.25rem}
        .mark{padding:0 .5rem;font-size:.8125rem;border:1px solid var(--edge);border-radius:1rem}
        .chart{display:block;width:100%;max-height:5rem;margin:0 0 1rem;fill:var(--accent);\
        border-bottom:1px solid var(--accent)}
        .notice{padding:.625rem .75rem;color:var(--ink);border:1px solid var(--accent);border-radius:.5rem}
        :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
        footer{margin-top:1.5rem;padding-top:1rem;font-size:.875rem;border-top:1px solid var(--line)}
        footer .links,footer form{display:flex;flex-wrap:wrap;gap:0 1rem;margin:0}
        footer span{padding:.375rem 0;color:var(--soft)}
        footer button{width:auto;padding:.375rem 0;font-weight:400;text-decoration:underline;color:var(--accent);\
        background:transparent;border:0}

        """
}
