// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
package import LatchHTTP

/// An HTML page with a title, a text and a form; all input passes through ``HTMLContext/escape(_:)``.
package struct HTMLPage: Sendable {
    package let title: String
    /// The escaped HTML.
    package let content: String
    /// The language of the texts, as a BCP 47 tag.
    package var language = "en"
    /// The title of the window.
    ///
    /// It begins with a problem, because screen readers read the title when the page opens.
    package var windowTitle: String
    /// The service, shown above the title; nil for a page without it.
    package var brand: PageBrand?
    package var footer: PageFooter?
    /// Whether the text runs from right to left.
    package var isRightToLeft = false

    /// A link below the text or the form.
    package struct Link: Sendable {
        let url: String
        let label: String

        /// Creates a link to a path of this server or a URL of the web; any other URL leads nowhere.
        package init(_ url: String, _ label: String) {
            self.url = HTMLContext.url.escape(url)
            self.label = label
        }

        /// Creates a link to a URL of the configuration; it may be `mailto:`.
        package init(configured url: String, _ label: String) {
            self.url = HTMLContext.attribute.escape(url)
            self.label = label
        }
    }

    /// A further button of a form, which also sends a name and a value.
    package struct Button<Label: Sendable>: Sendable {
        package let name: String
        package let value: String
        package let label: Label
        /// Whether it looks like a link.
        let isQuiet: Bool

        package init(_ name: String, _ label: Label, value: String = "yes", isQuiet: Bool = false) {
            (self.name, self.value, self.label, self.isQuiet) = (name, value, label, isQuiet)
        }

        package func labeled<Other>(_ text: (Label) -> Other) -> Button<Other> {
            Button<Other>(name, text(label), value: value, isQuiet: isQuiet)
        }
    }

    /// A button that a script shows and handles, and a hidden form field for the script's result.
    package struct ScriptedButton: Sendable {
        /// The path of the script on this server.
        let script: String
        let id: String
        let label: String
        let problem: String
        let field: String
        /// The JSON of the script's input; nil for none.
        let options: String?

        /// Creates a button, which stays hidden if scripts do not run.
        ///
        /// - Parameter problem: The text that the script shows after a failure.
        package init(
            id: String, label: String, problem: String, field: String, script: String, options: String? = nil
        ) {
            (self.id, self.label, self.problem, self.field, self.script) = (id, label, problem, field, script)
            self.options = options
        }

        /// The field, the button and the text for a failure, as HTML.
        fileprivate var html: String {
            let (id, field) = (HTMLContext.attribute.escape(id), HTMLContext.attribute.escape(field))
            let data = options.map { #" data-options="\#(HTMLContext.attribute.escape($0))""# } ?? ""
            return """
                <input type="hidden" name="\(field)" id="\(field)" autocomplete="off"\(data)><button type="button" \
                id="\(id)" class="second" hidden>\(HTMLContext.text.escape(label))</button>\
                <p class="wrong" id="\(id)-problem" role="alert" hidden>\(HTMLContext.text.escape(problem))</p>
                """
        }
    }

    /// Whether the page is wider than a form, for lists.
    private var isWide = false
    /// The path of the page's only script; nil for a page without a script.
    private var script: String?
    /// Whether the page posts its form to another site by itself.
    private var postsItself = false
    /// The origins of the pages of other sites that the page loads in frames.
    private var frameOrigins: [String] = []
    /// The URL at which the page continues by itself; nil to stay.
    private var next: String?

    /// Creates a page with a text and, if given, a form for an action that carries a token.
    ///
    /// - Parameters:
    ///   - problem: The problem with the last input.
    ///   - invalidFields: The names of the fields that the problem concerns; without one, the problem itself has the
    ///     focus.
    ///   - items: A list below the text.
    ///   - codes: A list of codes to type or to keep, below the text, with its label for screen readers.
    ///   - action: The path of the form, and the label of its button; nil for a form that only other buttons send.
    ///   - scriptedButton: A button of a script, below the submit button.
    ///   - alternative: The label of a second button, which also sends `other`.
    ///   - others: Further buttons.
    ///   - refusal: The label of the last button, which also sends `refuse`.
    ///   - links: The links at the end.
    ///   - appLink: A link to an app, whose URL this server has made or has in its configuration.
    package init(
        _ title: String, text: String, items: [String] = [], qrCode: (code: QRCode, label: String)? = nil,
        codes: (list: [String], label: String)? = nil,
        problem: String? = nil, invalidFields: [String] = [], action: (path: String, button: String?)? = nil,
        carrying token: String? = nil, fields: [HTMLField] = [],
        scriptedButton: ScriptedButton? = nil, alternative: String? = nil, others: [Button<String>] = [],
        refusal: String? = nil, links: [Link] = [], appLink: (url: String, label: String)? = nil
    ) {
        (self.title, windowTitle) = (title, title)
        script = action == nil ? nil : scriptedButton?.script ?? fields.lazy.compactMap(\.script).first
        let invalid = problem == nil ? [] : fields.map(\.name).filter(invalidFields.contains)
        let mistake = problem.map {
            let focus = invalid.isEmpty ? #" tabindex="-1" autofocus"# : ""
            return #"<p class="wrong" id="problem" role="alert"\#(focus)>\#(HTMLContext.text.escape($0))</p>"#
        }
        let form = action.map { action in
            let focused = problem == nil ? fields.first(where: \.isEmpty)?.name : invalid.last
            return Self.form(
                action, token: token,
                fields: fields.map { $0.html(isInvalid: invalid.contains($0.name), hasFocus: $0.name == focused) },
                scriptedButton: scriptedButton?.html ?? "",
                others: [alternative.map { Button("other", $0) }].compactMap(\.self) + others.filter { !$0.isQuiet }
                    + [refusal.map { Button("refuse", $0) }].compactMap(\.self) + others.filter(\.isQuiet))
        }
        let list = items.map { "<li>\(HTMLContext.text.escape($0))</li>" }.joined()
        let codeList = codes.map { codes in
            let entries = codes.list.map { "<li><code>\(HTMLContext.text.escape($0))</code></li>" }.joined()
            return #"<ul class="codes" aria-label="\#(HTMLContext.attribute.escape(codes.label))">\#(entries)</ul>"#
        }
        content = [
            text.isEmpty ? nil : "<p>\(HTMLContext.text.escape(text))</p>", list.isEmpty ? nil : "<ul>\(list)</ul>",
            qrCode.map { $0.code.svg(label: $0.label) }, codeList, mistake, form,
            appLink.map(Self.button), Self.list(links),
        ].compactMap(\.self).joined(separator: "\n")
    }

    /// Creates a page that posts fields to a URL of another site by itself, or with its button if scripts do not run.
    ///
    /// Another page may frame it: the browser takes the fields nowhere else, and the user decides nothing on it.
    ///
    /// - Parameter url: An https or http URL that a client has registered.
    package init(_ title: String, posting fields: [(name: String, value: String)], to url: String, button: String) {
        (self.title, windowTitle, postsItself) = (title, title, true)
        let inputs = fields.map { name, value in
            let (name, value) = (HTMLContext.attribute.escape(name), HTMLContext.attribute.escape(value))
            return #"<input type="hidden" name="\#(name)" value="\#(value)">"#
        }
        content = """
            <form method="post" action="\(HTMLContext.url.escape(url))">
            \(inputs.joined())<button>\(HTMLContext.text.escape(button))</button>
            </form>
            <script>\(Self.submission)</script>
            """
    }

    /// Creates a page that loads pages of other sites in hidden frames, and then continues at a URL without a script.
    ///
    /// The frames have their own scripts and cookies, and lead the window nowhere.
    ///
    /// - Parameters:
    ///   - urls: URLs of https or http that clients have registered.
    ///   - next: The registered URL, and the label of its link.
    package init(_ title: String, text: String, loading urls: [String], next: (url: String, label: String)?) {
        (self.title, windowTitle, self.next) = (title, title, next?.url)
        frameOrigins = Set(urls.compactMap(Self.origin)).sorted()
        let frames = urls.map {
            #"<iframe src="\#(HTMLContext.url.escape($0))" sandbox="allow-scripts allow-same-origin" hidden></iframe>"#
        }
        content = (["<p>\(HTMLContext.text.escape(text))</p>"] + [next.map(Self.button)].compactMap(\.self) + frames)
            .joined(separator: "\n")
    }

    /// Creates a page of sections, whose buttons send one form.
    ///
    /// - Parameters:
    ///   - notice: The result of the last change, which has the focus.
    ///   - problem: The problem with the last change, which has the focus.
    ///   - search: The fields of a search above the sections.
    ///   - action: The path of the form of all buttons; nil for a page without buttons.
    ///   - others: The buttons below the sections.
    ///   - appLink: A link to an app, whose URL comes from the configuration and never from a request.
    package init(
        _ title: String, text: String, notice: String? = nil, problem: String? = nil, search: [HTMLField] = [],
        searchButton: String = "", sections: [HTMLSection], action: String? = nil, carrying token: String? = nil,
        others: [Button<String>] = [], links: [Link] = [], appLink: (url: String, label: String)? = nil
    ) {
        (self.title, windowTitle, isWide) = (title, title, true)
        let escape = HTMLContext.text.escape
        let lines = [
            text.isEmpty ? nil : "<p>\(escape(text))</p>",
            notice.map { #"<p class="notice" id="notice" tabindex="-1" autofocus>\#(escape($0))</p>"# },
            problem.map { #"<p class="wrong" id="problem" role="alert" tabindex="-1" autofocus>\#(escape($0))</p>"# },
            search.isEmpty ? nil : Self.search(search, button: searchButton),
        ]
        let parts = sections.enumerated().map { $1.html(number: $0) } + others.map { $0.html() }
        let form = action.map { action in
            [
                """
                <form method="post" action="\(HTMLContext.url.escape(action))">
                <input type="hidden" name="token" value="\(HTMLContext.attribute.escape(token ?? ""))">
                """
            ] + parts + ["</form>"]
        }
        content =
            (lines.compactMap(\.self) + (form ?? parts)
            + [appLink.map(Self.button), Self.list(links)].compactMap(\.self)).joined(separator: "\n")
    }

    /// Returns the form of a search, which opens the same page with its fields in the query.
    private static func search(_ fields: [HTMLField], button: String) -> String {
        let inputs = fields.map { $0.html(isInvalid: false, hasFocus: false) }.joined()
        return """
            <form method="get" class="search" role="search">
            \(inputs)<button class="second">\(HTMLContext.text.escape(button))</button>
            </form>
            """
    }

    /// Returns a link that looks like a button, to an app or another site.
    ///
    /// Its scheme may belong to an app, and the URL context would reject it.
    private static func button(_ link: (url: String, label: String)) -> String {
        let (url, label) = (HTMLContext.attribute.escape(link.url), HTMLContext.text.escape(link.label))
        return #"<p><a class="button" href="\#(url)">\#(label)</a></p>"#
    }

    /// Returns the list of links at the end of a page; nil for none.
    static func list(_ links: [Link]) -> String? {
        guard !links.isEmpty else { return nil }
        let items = links.map { #"<li><a href="\#($0.url)">\#(HTMLContext.text.escape($0.label))</a></li>"# }
        return #"<ul class="links">\#(items.joined())</ul>"#
    }

    private static func origin(of url: String) -> String? {
        do { return try HTTPOrigin.split(url).origin.description } catch { return nil }
    }

    /// The seconds that the frames of a page have before it continues.
    private static let timeOfFrames = 3

    /// The script of a page that posts its form by itself.
    private static let submission = "document.forms[0].submit()"
    private static let submissionSource =
        "'sha256-\(Base64Alphabet.standard.encodePadded(Array(SHA256.hash(data: Array(submission.utf8)))))'"

    private static func form(
        _ action: (path: String, button: String?), token: String?, fields: [String], scriptedButton: String,
        others: [Button<String>]
    ) -> String {
        let buttons = others.map { $0.html() }
        let submission = action.button.map { "<button>\(HTMLContext.text.escape($0))</button>" } ?? ""
        return """
            <form method="post" action="\(HTMLContext.url.escape(action.path))">
            <input type="hidden" name="token" value="\(HTMLContext.attribute.escape(token ?? ""))">
            \(fields.joined())\(submission)\(scriptedButton)\(buttons.joined())
            </form>
            """
    }

    /// Returns the page with a policy against scripts, frames, referrers and images of other sites, because its URL
    /// contains a token.
    ///
    /// If the page has a script, it comes from this server and can only contact this server. A page that posts itself has
    /// one inline script, and may stand in a frame. It names its origin, which receivers compare with the issuer's (Fetch
    /// §3.2).
    ///
    /// - Parameter leadsAway: Whether the response to the form may redirect to an app. Browsers apply a policy for forms
    ///   to each redirect that follows, also to those of the app. The page then has none.
    package func response(status: HTTPStatus = .ok, leadsAway: Bool = false) -> HTTPResponse {
        let rest =
            postsItself
            ? "script-src \(Self.submissionSource)"
            : (leadsAway ? "" : "form-action 'self'; ") + "frame-ancestors 'none'"
                + (script == nil ? "" : "; script-src 'self'; connect-src 'self'")
                + (frameOrigins.isEmpty ? "" : "; frame-src \(frameOrigins.joined(separator: " "))")
        var fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", "Content-Language": language,
            "Vary": "Accept-Language, Cookie",
            "Content-Security-Policy":
                "default-src 'none'; style-src \(style.source); img-src 'self'; base-uri 'none'; \(rest)",
            "Referrer-Policy": postsItself ? "origin" : "no-referrer", "X-Content-Type-Options": "nosniff",
        ]
        if !postsItself { fields["X-Frame-Options"] = "DENY" }
        var page = self
        // Decision 0122: no choice on a page that the browser cannot open again.
        if status != .ok { page.footer?.languages = nil }
        return HTTPResponse(status: status, fields: fields, body: HTTPBody(page.html))
    }

    private var style: PageStyle { brand?.style ?? .standard }

    /// The HTML; only a page that posts itself has an inline script, which the policy allows by its digest.
    private var html: String {
        let head = [
            brand?.icon.map { #"<link rel="icon" href="\#(HTMLContext.url.escape($0))">\#n"# },
            script.map { "<script src=\"\(HTMLContext.url.escape($0))\" defer></script>\n" },
            next.map {
                #"<meta http-equiv="refresh" content="\#(Self.timeOfFrames);url=\#(HTMLContext.attribute.escape($0))">\#n"#
            },
        ].compactMap(\.self).joined()
        let window = [windowTitle, brand?.serviceName].compactMap(\.self).joined(separator: " – ")
        let end = footer?.html(in: language).map { "\n\($0)" } ?? ""
        return """
            <!doctype html>
            <html lang="\(HTMLContext.attribute.escape(language))"\(isRightToLeft ? " dir=\"rtl\"" : "")>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTMLContext.text.escape(window))</title>
            <style>\(style.sheet)</style>
            \(head)<main\(isWide ? " class=\"wide\"" : "")>
            \(brand.map { "\($0.html)\n" } ?? "")<h1>\(HTMLContext.text.escape(title))</h1>
            \(content)\(end)
            </main>
            </html>

            """
    }
}

extension HTMLPage.Button where Label == String {
    /// Returns the button.
    ///
    /// - Parameter id: The ID of the entry that it belongs to, if its label alone does not say what it does.
    func html(of id: String? = nil) -> String {
        let names = id.map { #" id="\#($0)-button" aria-labelledby="\#($0)-button \#($0)""# } ?? ""
        return """
            <button name="\(name)" value="\(HTMLContext.attribute.escape(value))" \
            class="\(isQuiet ? "quiet" : "second")" formnovalidate\(names)>\(HTMLContext.text.escape(label))</button>
            """
    }
}
