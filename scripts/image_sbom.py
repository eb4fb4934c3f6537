"""The bill of materials of an image, as SPDX 2.3: every package that dpkg's status in it names, and our own programs by digest.

Licences are declared where Debian's copyright file is machine-readable: by their names on SPDX's list, else as references of the
document, with the text that the file has. The file itself is in the image.
"""
import hashlib
import re
import urllib.parse

OWN_LICENCE = "Apache-2.0"
OWN = ("paddock", "paddock-controller", "paddock-node-agent")
TOOL = "paddock-scripts-images"

# Debian's short names (DEP-5), in small letters, as SPDX identifiers. `+` becomes `or later` below.
KNOWN = {
    "apache-2.0": "Apache-2.0", "artistic": "Artistic-1.0-Perl", "artistic-2": "Artistic-2.0", "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause", "bsd-4-clause": "BSD-4-Clause", "bsd-4-clause-uc": "BSD-4-Clause-UC", "bsl-1.0": "BSL-1.0",
    "cc0-1.0": "CC0-1.0", "curl": "curl", "expat": "MIT", "fsfap": "FSFAP", "fsfullr": "FSFULLR", "isc": "ISC", "mpl-1.1": "MPL-1.1",
    "mpl-2.0": "MPL-2.0", "psf-2": "PSF-2.0", "psf-2.0": "PSF-2.0", "python-2.0": "Python-2.0", "zlib": "Zlib",
    **{f"{family}{version}": f"{spdx}-{full}" for family, spdx in (("gpl-", "GPL"), ("lgpl-", "LGPL"), ("agpl-", "AGPL"), ("gfdl-", "GFDL"))
       for version, full in (("1", "1.0"), ("1.2", "1.2"), ("1.3", "1.3"), ("2", "2.0"), ("2.0", "2.0"), ("2.1", "2.1"), ("3", "3.0"),
                             ("3.0", "3.0"))
       if f"{spdx}-{full}" in ("GPL-1.0", "GPL-2.0", "GPL-3.0", "LGPL-2.0", "LGPL-2.1", "LGPL-3.0", "AGPL-3.0", "GFDL-1.2", "GFDL-1.3")},
}
GNU = ("GPL-", "LGPL-", "AGPL-", "GFDL-")


def licence_names(copyright_text):
    """The licences that a machine-readable copyright file names for files, without `and` and `or`; None where it is not one."""
    if not re.match(r"Format: *https?://www\.debian\.org/doc/packaging-manuals/copyright-format/1\.0", copyright_text):
        return None
    lines = [line.strip() for paragraph in re.split(r"\n\s*\n", copyright_text) if re.search(r"(?m)^Files:", paragraph)
             for line in re.findall(r"(?m)^License:(.*)$", paragraph)]
    return sorted({name.strip(" ()") for line in lines for name in re.split(r",?\s+(?:and/or|and|or)\s+|,\s*", line) if name.strip(" ()")})


def identifier(name):
    """The SPDX name for one of Debian's short names of licences, or None."""
    low = name.lower()
    later = low.endswith("+")
    found = KNOWN.get(low.rstrip("+")) if not later or low.startswith(("gpl", "lgpl", "agpl", "gfdl")) else None
    if found and found.startswith(GNU):
        return found + ("-or-later" if later else "-only")
    return found


def licence_texts(copyright_text):
    """{short name: text} of those that the file has a text of."""
    found = re.finditer(r"(?m)^License:[ \t]*(.*)\n((?:[ \t]+.*(?:\n|$))+)", copyright_text)
    return {each.group(1).strip(): "\n".join(line.strip() for line in each.group(2).splitlines()) for each in found}


def declared(package, copyright_text):
    """(expression of all licences that the file names, {reference: (name, text)}); which file of the package has which is not said."""
    names = licence_names(copyright_text)
    texts = licence_texts(copyright_text)
    references = {reference(package, name): (name, texts[name]) for name in names or [] if not identifier(name) and name in texts}
    words = {identifier(name) or (reference(package, name) if name in texts else None) for name in names or []}
    return ("NOASSERTION", {}) if not words or None in words else (" AND ".join(sorted(words)), references)


def reference(package, name):
    return "LicenseRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{package}-{name}")


def spdx_id(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(words))


def purl(package):
    version = urllib.parse.quote(package["Version"], safe="")
    name = urllib.parse.quote(package["Package"], safe="")
    return f"pkg:deb/debian/{name}@{version}?arch={package['Architecture']}"


def maintainer(package):
    """As SPDX writes a supplier."""
    found = re.match(r"(.*?)\s*<(.*)>$", package.get("Maintainer", ""))
    return f"Organization: {found.group(1)} ({found.group(2)})" if found else "NOASSERTION"


def of_package(package, copyright_text):
    """The package, and the licences in it that only this document knows."""
    own = package["Package"] in OWN
    licence, references = (OWN_LICENCE, {}) if own else declared(package["Package"], copyright_text or "")
    out = {"SPDXID": spdx_id("Package", package["Package"], package["Architecture"]), "name": package["Package"],
           "versionInfo": package["Version"], "supplier": maintainer(package), "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
    if package.get("Source"):
        out["sourceInfo"] = f"built from Debian's source package {package['Source']}"
    if not own:
        out["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl(package)}]
    return out, references


def of_program(path, content):
    return {"SPDXID": spdx_id("File", path), "fileName": f"./{path}", "fileTypes": ["BINARY"],
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
                          {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}],
            "licenseConcluded": OWN_LICENCE, "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"}


def relation(what, kind, other):
    return {"spdxElementId": what, "relationshipType": kind, "relatedSpdxElement": other}


def document(image, version, digest, created, packages, programs):
    """`packages`: (fields of dpkg's status, copyright file or None); `programs`: {path: (package, content)}."""
    whole = spdx_id("Image", image)
    made = [of_package(*each) for each in packages]
    inside = [each for each, _ in made]
    references = {identity: told for _, some in made for identity, told in some.items()}
    by_name = {each["name"]: each["SPDXID"] for each in inside}
    files = [of_program(path, content) for path, (_, content) in sorted(programs.items())]
    holders = [by_name[package] for _, (package, _) in sorted(programs.items())]
    of_image = {"SPDXID": whole, "name": image, "versionInfo": version, "supplier": "Organization: Paddock maintainers",
                "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "primaryPackagePurpose": "CONTAINER",
                "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
                "comment": f"digest of the image's manifest: {digest}"}
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{image}-{version}",
        "documentNamespace": f"https://paddock.dev/spdx/{image}-{version}-{digest.removeprefix('sha256:')}",
        "creationInfo": {"created": created, "creators": [f"Tool: {TOOL}"]},
        "documentDescribes": [whole], "packages": [of_image, *inside], "files": files,
        "hasExtractedLicensingInfos": [{"licenseId": identity, "name": name, "extractedText": text}
                                       for identity, (name, text) in sorted(references.items())],
        "relationships": [relation("SPDXRef-DOCUMENT", "DESCRIBES", whole),
                          *(relation(whole, "CONTAINS", each["SPDXID"]) for each in inside),
                          *(relation(holder, "CONTAINS", each["SPDXID"]) for holder, each in zip(holders, files))]}
