// SPDX-License-Identifier: Apache-2.0

/// The name, the images and the colors of a service on its pages.
package struct PageBrand: Sendable {
    package let serviceName: String
    /// The path of the logo on this server, which pages show instead of the name; nil for none.
    package let logo: String?
    /// The path of the icon of the browser's tab on this server; nil for none.
    package let icon: String?
    package let style: PageStyle

    package init(serviceName: String, logo: String? = nil, icon: String? = nil, style: PageStyle = .standard) {
        (self.serviceName, self.logo, self.icon, self.style) = (serviceName, logo, icon, style)
    }

    /// The logo, or the name of the service.
    var html: String {
        guard let logo else { return #"<p class="brand">\#(HTMLContext.text.escape(serviceName))</p>"# }
        let (url, name) = (HTMLContext.url.escape(logo), HTMLContext.attribute.escape(serviceName))
        return #"<img class="logo" src="\#(url)" alt="\#(name)">"#
    }
}

/// The end of a page: the pages about the service, and the choice of the language.
package struct PageFooter: Sendable {
    package let links: [HTMLPage.Link]
    /// The form that sets the language; nil for a page that the browser cannot open again.
    package var languages: LanguageForm?

    /// A form with a button for each language, after which the browser opens the same page again.
    package struct LanguageForm: Sendable {
        /// The path of the form's action.
        let action: String
        /// The path and the query of the page.
        let page: String
        /// The label for screen readers.
        let label: String
        /// The languages as BCP 47 tags, each with its own name; the page's has no button.
        let choices: [(language: String, name: String)]

        package init(action: String, page: String, label: String, choices: [(language: String, name: String)]) {
            (self.action, self.page, self.label, self.choices) = (action, page, label, choices)
        }

        fileprivate func html(in current: String) -> String {
            let buttons = choices.map { language, name in
                let (tag, name) = (HTMLContext.attribute.escape(language), HTMLContext.text.escape(name))
                return language == current
                    ? #"<span aria-current="true">\#(name)</span>"#
                    : #"<button name="language" value="\#(tag)" lang="\#(tag)">\#(name)</button>"#
            }
            return """
                <form method="post" action="\(HTMLContext.url.escape(action))" aria-label="\(HTMLContext.attribute.escape(label))">
                <input type="hidden" name="page" value="\(HTMLContext.attribute.escape(page))">\(buttons.joined())
                </form>
                """
        }
    }

    package init(links: [HTMLPage.Link], languages: LanguageForm?) {
        (self.links, self.languages) = (links, languages)
    }

    /// Returns the footer of a page in a language; nil if it has nothing to show.
    func html(in language: String) -> String? {
        let list = HTMLPage.list(links)
        let form = languages?.html(in: language)
        guard list != nil || form != nil else { return nil }
        return "<footer>\n\([list, form].compactMap(\.self).joined(separator: "\n"))\n</footer>"
    }
}
